/** Client Hints of Chromium browsers: the `Sec-CH-UA*` request headers (https://wicg.github.io/ua-client-hints/). */

export type Brand = { readonly brand: string; readonly version: string };

export type ClientHints = ReturnType<typeof clientHints>;

/** Value of the `Accept-CH` response header: the hints read here that browsers send only on request. */
export const acceptClientHints = [
  'Sec-CH-UA-Full-Version-List',
  'Sec-CH-UA-Platform-Version',
  'Sec-CH-UA-Model',
  'Sec-CH-UA-Arch',
  'Sec-CH-UA-Bitness',
  'Sec-CH-UA-Form-Factors',
].join(', ');

/**
 * Reads the hints from request headers (lower-case names) as structured fields (RFC 9651). A member is null if its header is absent, empty,
 * malformed or too long. Brand lists are as sent, GREASE included.
 */
export function clientHints(headers: Readonly<Record<string, string>>) {
  return {
    brands: readBrands(headers['sec-ch-ua']),
    fullVersionList: readBrands(headers['sec-ch-ua-full-version-list']),
    mobile: readBoolean(headers['sec-ch-ua-mobile']),
    platform: readString(headers['sec-ch-ua-platform']),
    platformVersion: readString(headers['sec-ch-ua-platform-version']),
    model: readString(headers['sec-ch-ua-model']),
    architecture: readString(headers['sec-ch-ua-arch']),
    bitness: readString(headers['sec-ch-ua-bitness']),
    formFactors: readStrings(headers['sec-ch-ua-form-factors']),
  };
}

/** Returns the brands without the GREASE entry, which is `Not`, `A` and `Brand` with varying punctuation between. */
export const withoutGrease = (brands: readonly Brand[]): readonly Brand[] =>
  brands.filter(({ brand }) => !/^[\W_]*Not[\W_]?A[\W_]?Brand[\W_]*$/i.test(brand.slice(0, 32)));

/** The longest list that Chromium sends is under 200 characters. */
const maxLength = 1024;

// The grammar of an item with a string, and of the comma or the end after it (RFC 9651 §4.2).
const text = String.raw`[ !#-[\]-~]*(?:\\["\\][ !#-[\]-~]*)*`;
const parameters = String.raw`(?:; *[a-z*][a-z\d_.*-]*(?:=(?:"${text}"|-?\d+(?:\.\d+)?|[A-Za-z*][\w.*:/-]*|\?[01]))?)*`;
const separator = String.raw`[ \t]*(?:,[ \t]*(?!$)|$)`;

// Without the general parser of structured fields, which costs 3 µs for each list: a tenth of /json.
const brandItem = new RegExp(` *"(${text})"${parameters}; *v="(${text})"${parameters}${separator}`, 'y');
const stringItem = new RegExp(` *"(${text})"${parameters}${separator}`, 'y');

/** The items of a list; null if one has another form. */
function itemsOf(field: string | undefined, form: RegExp): RegExpExecArray[] | null {
  if (typeof field !== 'string' || field.length > maxLength) return null;
  const items: RegExpExecArray[] = [];
  form.lastIndex = 0;
  while (form.lastIndex < field.length) {
    const item = form.exec(field);
    if (item === null) return null;
    items.push(item);
  }
  return items.length === 0 ? null : items;
}

const withoutEscapes = (content = ''): string => (content.includes('\\') ? content.replace(/\\(.)/g, '$1') : content);

const readBrands = (field: string | undefined): readonly Brand[] | null =>
  itemsOf(field, brandItem)?.map(([, brand, version]) => ({
    brand: withoutEscapes(brand),
    version: withoutEscapes(version),
  })) ?? null;

const readStrings = (field: string | undefined): readonly string[] | null =>
  itemsOf(field, stringItem)?.map(([, content]) => withoutEscapes(content)) ?? null;

function readString(field: string | undefined): string | null {
  const [first, ...others] = readStrings(field) ?? [];
  return first && others.length === 0 ? first : null;
}

const readBoolean = (field: string | undefined): boolean | null =>
  field === '?1' ? true : field === '?0' ? false : null;
