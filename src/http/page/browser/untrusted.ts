/** Untrusted text as elements. */
import { splitInvisible } from '../text.ts';
import { createElement } from './elements.ts';

/** Untrusted text, as on the server: isolated text direction, invisible characters as code points. */
export function renderUntrusted(text: string): Element {
  const parts = [...splitInvisible(text)].map((part) =>
    part.isInvisible ? createElement('span', { class: 'invisible' }, part.text) : part.text,
  );
  return createElement('bdi', {}, ...parts);
}
