/** Tells the headers that a client sent from those that Cloudflare added to them. */
import { parseAddress } from '../../core/address.ts';

export interface SplitHeaders {
  readonly headers: Readonly<Record<string, string>>;
  readonly edgeHeaders: Readonly<Record<string, string>>;
}

/** Set by Cloudflare whatever the client sends; so is every name that begins with `cf-`. */
const edgeNames: readonly string[] = ['connection', 'x-forwarded-proto'];

/** Cloudflare's where they hold the caller's address; a client may send them too. */
const addressNames: readonly string[] = ['true-client-ip', 'x-real-ip'];

/**
 * `peer` is `cf-connecting-ip`, and `acceptEncoding` what the client sent under that name; null where it sent none, undefined where
 * nobody knows. https://developers.cloudflare.com/fundamentals/reference/http-headers/
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
    } else {
      // Cloudflare appends to these.
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

const never = (): boolean => false;

/** RFC 8586: the token of a network, perhaps with parameters. */
const isCloudflare = (value: string): boolean => /^cloudflare(?:$|[;\s])/i.test(value);

function sameAddress(one: string, other: string): boolean {
  if (one === other) return true;
  const [address, its] = [parseAddress(one), parseAddress(other)];
  return address !== null && its !== null && address.version === its.version && address.bits === its.bits;
}
