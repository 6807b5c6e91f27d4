/** Markup made by template literals, in which every interpolated text is escaped. */

/** Markup that may be part of a page as it is; only `html` and `raw` create it. */
export class Fragment {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

type Interpolated = string | number | boolean | null | undefined | Fragment | readonly Interpolated[];

/** Marks text as markup. */
export const raw = (markup: string): Fragment => new Fragment(markup);

/** Escapes each interpolated text and number; booleans, null and undefined are left out, and lists are joined. */
export function html(strings: TemplateStringsArray, ...values: readonly Interpolated[]): Fragment {
  let markup = strings[0] ?? '';
  for (let at = 0; at < values.length; at += 1) markup += render(values[at]) + strings[at + 1];
  return new Fragment(markup);
}

function render(value: Interpolated): string {
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return `${value}`;
  if (value === null || typeof value !== 'object') return '';
  if (value instanceof Fragment) return value.toString();
  let markup = '';
  for (const each of value) markup += render(each);
  return markup;
}

const special = /[&<>"']/;
const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for an element or a quoted attribute (https://html.spec.whatwg.org/multipage/syntax.html#escapingString). */
const escapeText = (text: string): string =>
  // Most texts need none, and a search takes less time than a replacement.
  special.test(text) ? text.replace(/[&<>"']/g, (character) => references[character] as string) : text;
