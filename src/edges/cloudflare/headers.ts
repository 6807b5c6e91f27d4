/** Separates the headers that the client sent from those that Cloudflare added. */
import { formatAddress, parseAddress } from '../../core/address.ts';

export interface SplitHeaders {
  readonly headers: Readonly<Record<string, string>>;
  readonly edgeHeaders: Readonly<Record<string, string>>;
}

/** Always set by Cloudflare, like every name that begins with `cf-`. */
const edgeNames: readonly string[] = ['connection', 'x-forwarded-proto'];

/** Set by Cloudflare if they contain the client's address; a client may send them too. */
const addressNames: readonly string[] = ['true-client-ip', 'x-real-ip'];

/**
 * `peer` is `cf-connecting-ip`; `acceptEncoding` is the client's header of this name: null if it sent none, undefined if
 * unknown. https://developers.cloudflare.com/fundamentals/reference/http-headers/
 */
export function splitHeaders(
  received: Headers,
  peer: string | null,
  acceptEncoding: string | null | undefined,
): SplitHeaders {
  const headers: Record<string, string> = Object.create(null);
  const edgeHeaders: Record<string, string> = Object.create(null);
  const isPeer = (value: string): boolean => peer !== null && sameAddress(value, peer);
  for (const [name, value] of received) {
    if (name.startsWith('cf-') || edgeNames.includes(name)) edgeHeaders[name] = value;
    else if (addressNames.includes(name)) (isPeer(value) ? edgeHeaders : headers)[name] = value;
    else if (name === 'accept-encoding' && acceptEncoding !== undefined) {
      edgeHeaders[name] = value;
      if (acceptEncoding !== null) headers[name] = acceptEncoding;
    } else if (name === 'cookie') headers[name] = value.replace(cookieJoint, '; ');
    else {
      // Cloudflare appends its value to these.
      const isOurs = name === 'x-forwarded-for' ? isPeer : name === 'cdn-loop' ? isCloudflare : never;
      const parts = value.split(',');
      const last = parts.at(-1)?.trim() ?? '';
      if (!isOurs(last)) headers[name] = value;
      else {
        edgeHeaders[name] = last;
        if (parts.length > 1) headers[name] = parts.slice(0, -1).join(',').trim();
      }
    }
  }
  return { headers, edgeHeaders };
}

/** Matches the comma with which the runtime joined two lines, as it does for other headers: RFC 9113 §8.2.3 requires a semicolon. */
const cookieJoint = /, (?=[^\s=;,]+=)/g;

const never = (): boolean => false;

/** RFC 8586: the token of a network, with optional parameters. */
const isCloudflare = (value: string): boolean => /^cloudflare(?:$|[;\s])/i.test(value);

function sameAddress(one: string, other: string): boolean {
  if (one === other) return true;
  const [address, its] = [parseAddress(one), parseAddress(other)];
  return address !== null && its !== null && formatAddress(address) === formatAddress(its);
}
