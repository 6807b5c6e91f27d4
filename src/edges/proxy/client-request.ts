/** The client's request, read from the request of a trusted proxy: nothing of the proxy's own connection. */
import type { ObservedRequest, RateKey } from '../../core/observed.ts';
import type { AddressData } from '../../core/platform.ts';
import type { EdgeHeaderSet } from '../../core/setting-values.ts';
import { cloudflareAddressOf, sameAddress, splitAppended } from './cloudflare-address.ts';
import { edgeHeaderNames, readEdgeFacts } from './edge-headers.ts';
import { clientOf, entriesOf, entryOfClient, type ForwardedClient, type TrustedHeader } from './forwarded.ts';
import { describeProblem, type ForwardingProblem } from './problem.ts';

/** The trusted proxies and what they may set. */
export interface Trust extends TrustedHeader {
  readonly edgeHeaders: readonly EdgeHeaderSet[];
}

/** Functions on addresses and hosts, provided by the edge that owns the sockets. */
export interface AddressLookups extends AddressData {
  /** Returns the client as the limits of the edge count it. */
  identify(ip: string): RateKey;
  isAuthority(text: string): boolean;
}

/** Returns the client's request; a problem if a header of the proxy cannot be used, so that it is not known what the client requested. */
export type ResolveClientRequest = (observed: ObservedRequest) => ObservedRequest | ForwardingProblem;

const forwardedProto = 'x-forwarded-proto';
const forwardedHost = 'x-forwarded-host';
const forwardedFor = 'x-forwarded-for';
const connectingHeader = 'cf-connecting-ip';
const connectingIpv6Header = 'cf-connecting-ipv6';

/** A proxy has a connection of its own to the service, so this header is never the client's. */
const hopByHop = 'connection';
/** The only header of a set that clients send as well. */
const acceptEncoding = 'accept-encoding';

/** The scheme of each that proxies report; those of WebSocket are the schemes of the connection that is upgraded. */
const schemes: ReadonlyMap<string, 'http' | 'https'> = new Map([
  ['http', 'http'],
  ['https', 'https'],
  ['ws', 'http'],
  ['wss', 'https'],
]);

/** `report` gets each problem, also one that only hides the client's address. */
export function createClientResolver(
  trust: Trust,
  lookups: AddressLookups,
  report: (problem: ForwardingProblem) => void,
): ResolveClientRequest {
  const { header } = trust;
  const isCloudflare = trust.edgeHeaders.includes('cf');
  // Cloudflare forwards a client-sent copy.
  const isHostTrusted = !isCloudflare;
  const trusted = new Set([
    forwardedProto,
    ...(isHostTrusted ? [forwardedHost] : []),
    ...trust.edgeHeaders.flatMap((each) => edgeHeaderNames[each]),
  ]);
  // Proxies send an empty header, or one with empty entries, for a value that they do not have.
  const isForwarding = ([name, value]: readonly [string, string]): boolean =>
    (name === header || (trusted.has(name) && name !== acceptEncoding)) && /[^\s,]/.test(value);
  return (observed) => {
    // Without any of these headers, the trusted peer is a client itself, such as curl on this machine.
    if (!Object.entries(observed.headers).some(isForwarding)) return observed;
    const peer = observed.ip ?? '';
    const client = clientOf(observed.headers[header] ?? '', peer, trust);
    if (client !== null && client.problem !== null) report(describeProblem(header, client.problem));
    const url = readUrl(observed, client, { header, isHostTrusted, isAuthority: lookups.isAuthority });
    if ('problem' in url) {
      report(url);
      return url;
    }
    const { scheme, authority, host } = url;
    const connecting = isCloudflare ? (observed.headers[connectingHeader] ?? null) : null;
    const isConnecting = (address: string): boolean => connecting !== null && sameAddress(address, connecting);
    const clientIp = client?.ip ?? peer;
    const replaced = isConnecting(clientIp)
      ? cloudflareAddressOf(connecting, observed.headers[connectingIpv6Header] ?? null)
      : null;
    const ip = replaced ?? clientIp;
    const facts = readEdgeFacts(observed.headers, trust.edgeHeaders);
    const headers = createHeaders();
    const edgeHeaders = createHeaders();
    if (host !== null) headers.host = host;
    for (const [name, value] of Object.entries(observed.headers)) {
      if (name === 'host' && host !== null) {
        if (value !== host) edgeHeaders[name] = value;
      } else if (name === header) {
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
      rateKey: lookups.identify(ip),
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

/** Returns what the client requested, with the host that a proxy names, null if none does; or why this cannot be used. */
function readUrl(
  { headers, origin }: ObservedRequest,
  client: ForwardedClient | null,
  {
    header,
    isHostTrusted,
    isAuthority,
  }: Pick<AddressLookups, 'isAuthority'> & { header: string; isHostTrusted: boolean },
) {
  const path = client?.path ?? null;
  const hosts = isHostTrusted ? (headers[forwardedHost] ?? '') : '';
  const entries = entriesOf(hosts);
  // Of different hosts, which one the client requested is known only if each hop wrote one.
  if (new Set(entries).size > 1 && path?.entries !== entries.length)
    return describeProblem(forwardedHost, 'different_hosts');
  const named = entryOfClient(hosts, path);
  const proto = entryOfClient(headers[forwardedProto] ?? '', path);
  // The proxy's own scheme and authority stand in for those that it does not report.
  const [ownScheme = '', ownAuthority = ''] = origin.split('://');
  const scheme = schemes.get((proto ?? client?.proto ?? ownScheme).toLowerCase());
  if (scheme === undefined) return describeProblem(proto === null ? header : forwardedProto, 'no_scheme');
  const host = named ?? client?.host ?? null;
  const authority = host ?? ownAuthority;
  if (!isAuthority(authority)) return describeProblem(named === null ? header : forwardedHost, 'no_host');
  return { scheme, authority, host };
}

const createHeaders = (): Record<string, string> => Object.create(null);
