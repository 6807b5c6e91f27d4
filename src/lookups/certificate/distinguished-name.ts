/** Distinguished names as OpenSSL prints them: a line for each set of attributes, ` + ` within a set, and escapes of RFC 2253. */

/** One line, from country to common name, such as `C=US, O=Let's Encrypt, CN=R3`. */
export const formatName = (name: string): string => name.replaceAll('\n', ', ');

/** The first value of an attribute; null without it. */
export function attributeOf(name: string, attribute: 'CN' | 'O'): string | null {
  const found = name.split(/\n| \+ /).find((each) => each.startsWith(`${attribute}=`));
  return found === undefined ? null : found.slice(attribute.length + 1).replace(/\\(?=[^\dA-Fa-f])/g, '');
}

/** The name for a sentence: the common name, else the organization, else all of it. */
export const shortNameOf = (name: string): string =>
  attributeOf(name, 'CN') ?? attributeOf(name, 'O') ?? (formatName(name) || 'a certificate without a subject');
