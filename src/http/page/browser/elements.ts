/** Creates DOM elements; text is never parsed as markup. */
import { splitInvisible } from '../invisible.ts';

export type Child = Node | string | null;

export function createElement(
  tag: string,
  attributes: Readonly<Record<string, string>> = {},
  ...children: Child[]
): HTMLElement {
  return populate(document.createElement(tag), attributes, children);
}

export function createSvg(
  tag: string,
  attributes: Readonly<Record<string, string>> = {},
  ...children: Child[]
): SVGElement {
  return populate(document.createElementNS('http://www.w3.org/2000/svg', tag) as SVGElement, attributes, children);
}

function populate<Created extends Element>(
  node: Created,
  attributes: Readonly<Record<string, string>>,
  children: Child[],
): Created {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** Untrusted text, as on the server: isolated text direction, invisible characters as code points. */
export function renderUntrusted(text: string): HTMLElement {
  return createElement(
    'bdi',
    {},
    ...[...splitInvisible(text)].map((part) =>
      part.isInvisible ? createElement('span', { class: 'invisible' }, part.text) : part.text,
    ),
  );
}

/** A link if the untrusted URL is http or https; otherwise text. */
export function createLink(address: string, text = address): HTMLElement {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return renderUntrusted(address);
  return createElement('a', { href: url.href, rel: 'noreferrer nofollow' }, renderUntrusted(text));
}

export const createChip = (text: string, look = 'plain'): HTMLElement =>
  createElement('span', { class: `chip ${look}` }, renderUntrusted(text));

export const createHeading = (title: string): HTMLElement => createElement('h4', { class: 'part' }, title);

/** A description list; terms without a value are omitted. */
export function createFacts(rows: readonly (readonly [term: string, ...values: Child[]])[]): HTMLElement {
  const known = rows.filter(([, ...values]) => values.some((child) => child !== null));
  return createElement(
    'dl',
    { class: 'facts' },
    ...known.flatMap(([term, ...values]) => [
      createElement('dt', {}, renderUntrusted(term)),
      createElement('dd', {}, ...values),
    ]),
  );
}

/** Announces a sentence to screen readers. */
export function announce(sentence: string): void {
  document.getElementById('status')?.replaceChildren(sentence);
}
