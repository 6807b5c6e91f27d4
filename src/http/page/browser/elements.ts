/** Creates DOM elements; text is never parsed as markup. */

type Attributes = Readonly<Record<string, string>>;

export function createElement(tag: string, attributes: Attributes = {}, ...children: (Node | string)[]): HTMLElement {
  return populate(document.createElement(tag), attributes, children);
}

export function createSvg(tag: string, attributes: Attributes, ...children: string[]): Element {
  return populate(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function populate<Created extends Element>(
  element: Created,
  attributes: Attributes,
  children: (Node | string)[],
): Created {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Announces a sentence to screen readers. */
export function announce(sentence: string): void {
  document.getElementById('status')?.replaceChildren(sentence);
}
