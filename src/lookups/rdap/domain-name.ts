/** Domain names as RDAP servers know them: A-labels of letters, digits and hyphens, in lower case. */

/** RFC 5890 §2.3.1; an underscore is tolerated, since it marks names below a registration (RFC 8552). */
const label = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;

/** ASCII that no host name holds, and space: a URL parser would take it for another part of the URL, or drop it. */
const notOfHost = /[\0-,/:-@[-^`{-\x9f\s]/;

/** More than 253 letters are too many in any encoding; the rest is for what the mapping drops. */
const maxInputLength = 300;

/**
 * The A-label form of a name (UTS #46), without the final dot; null for what is no domain name of at least one label.
 * The URL parser is the one IDNA implementation that every runtime has, but it reads `1.2.3` and `0x7f.1` as addresses.
 */
export function toAscii(name: string): string | null {
  if (name === '' || name.length > maxInputLength || notOfHost.test(name) || !URL.canParse(`http://${name}`))
    return null;
  const host = new URL(`http://${name}`).hostname.replace(/\.$/, '');
  const labels = host.split('.');
  if (host.length > 253 || !labels.every((text) => label.test(text))) return null;
  // No top-level domain is numeric (RFC 3696 §2): what ends so was read as an address, or could be.
  return /^(?:\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? '') ? null : host;
}
