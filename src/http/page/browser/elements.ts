/** Creates DOM elements; text is never parsed as markup. */

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

/** Announces a sentence to screen readers. */
export function announce(sentence: string): void {
  document.getElementById('status')?.replaceChildren(sentence);
}
