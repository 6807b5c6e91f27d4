/** Elements of the page, made so that text is never read as markup. */
import { pieces } from '../unseen.ts';

export type Child = Node | string | null;

export function element(
  tag: string,
  attributes: Readonly<Record<string, string>> = {},
  ...children: Child[]
): HTMLElement {
  return filled(document.createElement(tag), attributes, children);
}

export function drawing(
  tag: string,
  attributes: Readonly<Record<string, string>> = {},
  ...children: Child[]
): SVGElement {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', tag) as SVGElement, attributes, children);
}

function filled<Made extends Element>(
  made: Made,
  attributes: Readonly<Record<string, string>>,
  children: Child[],
): Made {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** Text of a stranger, as the server shows it. */
export function shown(text: string): HTMLElement {
  return element(
    'bdi',
    {},
    ...[...pieces(text)].map((piece) =>
      piece.isUnseen ? element('span', { class: 'unseen' }, piece.text) : piece.text,
    ),
  );
}

/** A link where a stranger's address is one of the web's, text where it is anything else. */
export function linked(address: string): HTMLElement {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return shown(address);
  return element('a', { href: url.href, rel: 'noreferrer nofollow' }, shown(address));
}

export const chip = (text: string, look = 'plain'): HTMLElement =>
  element('span', { class: `chip ${look}` }, shown(text));

export const part = (title: string): HTMLElement => element('h4', { class: 'part' }, title);

/** Terms and what they are; those of which nothing is known are left out. */
export function facts(rows: readonly (readonly [term: string, ...is: Child[]])[]): HTMLElement {
  const known = rows.filter(([, ...is]) => is.some((child) => child !== null));
  return element(
    'dl',
    { class: 'facts' },
    ...known.flatMap(([term, ...is]) => [element('dt', {}, shown(term)), element('dd', {}, ...is)]),
  );
}

/** Has it read out to those who listen. */
export function say(sentence: string): void {
  document.getElementById('said')?.replaceChildren(sentence);
}
