/** Creates DOM elements, of which text is never parsed as markup; announcements, and the messages of errors. */
import { splitInvisible } from '../text.ts';

const creatorIn =
  (namespace: string) =>
  (tag: string, attributes: Readonly<Record<string, string>> = {}, ...children: (Node | string)[]): Element => {
    const element = document.createElementNS(namespace, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };

export const createElement = creatorIn('http://www.w3.org/1999/xhtml');
export const createSvg = creatorIn('http://www.w3.org/2000/svg');

/** Untrusted text, as on the server: isolated text direction, invisible characters as code points. */
export function renderUntrusted(text: string): Element {
  const parts = [...splitInvisible(text)].map((part) =>
    part.isInvisible ? createElement('span', { class: 'invisible' }, part.text) : part.text,
  );
  return createElement('bdi', {}, ...parts);
}

/** Announces a sentence to screen readers. */
export function announce(sentence: string): void {
  document.getElementById('status')?.replaceChildren(sentence);
}

/** The JSON of a response; an empty object for an error of a proxy, which has none. */
export const readJson = async (response: Response): Promise<object> =>
  response.ok ? response.json() : response.json().catch(() => ({}));

/** The message of an error of this service; a sentence if a proxy responded. */
export const messageOf = ({ message }: { readonly message?: string }): string =>
  `${message ?? 'The service rejected the request.'}`;
