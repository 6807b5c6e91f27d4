/** The client's request, read from the request of a trusted proxy: nothing of the proxy's own connection. */
import type { ObservedRequest } from '../../core/observed.ts';
import type { AddressData } from '../../core/platform.ts';
import type { EdgeHeaderSet } from '../../core/setting-values.ts';
import { cloudflareAddressOf, sameAddress, splitAppended } from './cloudflare-address.ts';
import { edgeHeaderNames, readEdgeFacts } from './edge-headers.ts';
import { clientOf, entryOfClient, type TrustedHeader } from './forwarded.ts';

/** The trusted proxies and what they may set. */
export interface Trust extends TrustedHeader {
  readonly edgeHeaders: readonly EdgeHeaderSet[];
}

/** Functions on addresses and hosts, provided by the edge that owns the sockets. */
export interface AddressLookups extends AddressData {
  rateKeyOf(ip: string): string;
  isAuthority(text: string): boolean;
}

/** Returns the client's request; null if the proxy's headers are malformed or contradict each other. */
export type ResolveClientRequest = (observed: ObservedRequest) => ObservedRequest | null;

const forwardedProto = 'x-forwarded-proto';
const forwardedHost = 'x-forwarded-host';
const forwardedFor = 'x-forwarded-for';
const connectingHeader = 'cf-connecting-ip';
const connectingIpv6Header = 'cf-connecting-ipv6';

/** A proxy has a connection of its own to the service, so this header is never the client's. */
const hopByHop = 'connection';
/** The only header of a set that clients send as well. */
const acceptEncoding = 'accept-encoding';

export function createClientResolver(trust: Trust, lookups: AddressLookups): ResolveClientRequest {
  const isCloudflare = trust.edgeHeaders.includes('cf');
  // Cloudflare forwards a client-sent copy.
  const isHostTrusted = !isCloudflare;
  const trusted = new Set([
    forwardedProto,
    ...(isHostTrusted ? [forwardedHost] : []),
    ...trust.edgeHeaders.flatMap((each) => edgeHeaderNames[each]),
  ]);
  const isForwarding = (name: string): boolean =>
    name === trust.header || (trusted.has(name) && name !== acceptEncoding);
  return (observed) => {
    // Without any of these headers, the trusted peer is a client itself, such as curl on this machine.
    if (!Object.keys(observed.headers).some(isForwarding)) return observed;
    const field = observed.headers[trust.header];
    const peer = observed.ip ?? '';
    const client = field === undefined ? null : clientOf(field, peer, trust);
    const forwarded = isHostTrusted ? unanimous(observed.headers[forwardedHost]) : undefined;
    const host = forwarded ?? client?.host ?? null;
    // The proxy's own scheme and authority stand in for those that it does not report; neither is checked yet.
    const [ownScheme = '', ownAuthority = ''] = observed.origin.split('://');
    const schemes = observed.headers[forwardedProto];
    const reported = schemes === undefined ? client?.proto : entryOfClient(schemes, client?.path ?? null);
    const scheme = (reported ?? ownScheme).toLowerCase();
    const authority = host ?? ownAuthority;
    if (!/^https?$/.test(scheme) || !lookups.isAuthority(authority)) return null;
    const connecting = isCloudflare ? (observed.headers[connectingHeader] ?? null) : null;
    const isConnecting = (address: string): boolean => connecting !== null && sameAddress(address, connecting);
    const named = client?.ip ?? peer;
    const replaced = isConnecting(named)
      ? cloudflareAddressOf(connecting, observed.headers[connectingIpv6Header] ?? null)
      : null;
    const ip = replaced ?? named;
    const facts = readEdgeFacts(observed.headers, trust.edgeHeaders);
    const headers = createHeaders();
    const edgeHeaders = createHeaders();
    if (host !== null) headers.host = host;
    for (const [name, value] of Object.entries(observed.headers)) {
      if (name === 'host' && host !== null) {
        if (value !== host) edgeHeaders[name] = value;
      } else if (name === trust.header) {
        edgeHeaders[name] = client?.added ?? value;
        if (client?.sent) headers[name] = client.sent;
      } else if (isCloudflare && name === forwardedFor) {
        const { sent, added } = splitAppended(value, isConnecting);
        if (sent !== null) headers[name] = sent;
        if (added !== null) edgeHeaders[name] = added;
      } else if (trusted.has(name) || name === hopByHop) edgeHeaders[name] = value;
      else headers[name] = value;
    }
    return {
      method: observed.method,
      path: observed.path,
      query: observed.query,
      origin: `${scheme}://${authority}`,
      isSecure: scheme === 'https',
      ip,
      port: client === null ? observed.port : null,
      rateKey: lookups.rateKeyOf(ip),
      get location() {
        return lookups.locate(ip);
      },
      get autonomousSystem() {
        return lookups.autonomousSystem(ip);
      },
      ...facts,
      colo: facts.colo ?? observed.colo,
      priority: headers.priority ?? null,
      headers,
      edgeHeaders,
      simulated: false,
      // Without a client address, a page on this machine may have sent the request, and not a proxy.
      onLoopback: client === null && observed.onLoopback,
    };
  };
}

/** Returns the value if all hops sent the same one; a list of different values stays a list, which is not a host. */
function unanimous(field: string | undefined): string | undefined {
  const values = field?.split(',').map((value) => value.trim());
  return values?.every((value) => value === values[0]) ? values[0] : field;
}

const createHeaders = (): Record<string, string> => Object.create(null);
