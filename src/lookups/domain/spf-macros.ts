/** Expands the macros of an SPF record that do not depend on the sender (RFC 7208 §7). Pure. */

const escapes: Readonly<Record<string, string>> = { '%%': '%', '%_': ' ', '%-': '%20' };

/** Replaces the macros of the domain (§7.3); null if there are others, which depend on the sender. */
export function expandMacros(text: string, domain: string): string | null {
  if (/%\{[^d]/i.test(text)) return null;
  return text.replace(/%\{[^}]*\}|%[%_-]/g, (macro) => escapes[macro] ?? expandDomain(macro, domain));
}

/** The number of parts counts from the right, after they are reversed. */
function expandDomain(macro: string, domain: string): string {
  const [, count = '', reversed = '', delimiters = ''] = /^%\{d(\d*)(r?)(.*)\}$/i.exec(macro) ?? [];
  const parts = domain.split(new RegExp(`[${delimiters.replaceAll('-', '\\-') || '.'}]`));
  if (reversed !== '') parts.reverse();
  return parts.slice(count === '' ? 0 : -Number(count)).join('.');
}
