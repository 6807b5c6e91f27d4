/** The product that an app states first: its name may contain a system's name, and its version is not the system's. */

const product = /^([\w.&+'% -]{1,160})\/[^\s(;]*/;
const system = /android|ios/i;

/**
 * The text without the product if the rest states a system, as `com.acme.android/2.1 (Linux; U; Android 15)` does, else without its
 * version.
 */
export function withoutAppProduct(text: string): string {
  if (text.startsWith('Mozilla/') || !system.test(text)) return text;
  const [found = '', name = ''] = product.exec(text) ?? [];
  if (!system.test(name)) return text;
  const rest = text.slice(found.length);
  return /\bAndroid\b|\bi(?:OS|Phone|Pad|PadOS|Pod)\b/i.test(rest) ? rest.trimStart() : name + rest;
}
