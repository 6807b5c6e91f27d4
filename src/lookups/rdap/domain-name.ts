/** Domain names in the form that RDAP servers use: A-labels of letters, digits and hyphens, in lower case. */

/** RFC 5890 §2.3.1; an underscore is accepted, because it marks names below a registration (RFC 8552). */
const label = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;

/** Space and ASCII that no host name contains: a URL parser would treat it as another part of the URL, or drop it. */
const notOfHost = /[\0-,/:-@[-^`{-\x9f\s]/;

/** A name has at most 253 characters; the rest is for characters that the mapping drops. */
const maxInputLength = 300;

/**
 * The A-label form of a name (UTS #46), without the trailing dot; null if it is not a domain name of at least one label.
 * The URL parser is the only IDNA implementation in every runtime, but it parses `1.2.3` and `0x7f.1` as addresses.
 */
export function toAscii(name: string): string | null {
  if (name === '' || name.length > maxInputLength || notOfHost.test(name) || !URL.canParse(`http://${name}`))
    return null;
  const host = new URL(`http://${name}`).hostname.replace(/\.$/, '');
  const labels = host.split('.');
  if (host.length > 253 || !labels.every((text) => label.test(text))) return null;
  // No top-level domain is numeric (RFC 3696 §2): such a name was parsed as an address, or could be.
  return /^(?:\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? '') ? null : host;
}
