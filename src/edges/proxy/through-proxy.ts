/** What a caller's request was before a trusted proxy handed it on. */
import type { Prefix } from '../../core/address.ts';
import type { AutonomousSystem, ObservedLocation, ObservedRequest } from '../../core/observed.ts';
import type { EdgeHeaderSet } from '../../core/settings.ts';
import { edgeFacts, edgeHeaderNames } from './edge-headers.ts';
import { callerOf } from './forwarded.ts';

/** Who is believed, and what. */
export interface Trust {
  readonly networks: readonly Prefix[];
  /** The header that names the caller; lower case. */
  readonly header: string;
  readonly edgeHeaders: readonly EdgeHeaderSet[];
}

/** What the edge that has the sockets knows of an address and of hosts. */
export interface Knowledge {
  rateKeyOf(ip: string): string;
  locate(ip: string): ObservedLocation;
  autonomousSystem(ip: string): AutonomousSystem;
  isAuthority(text: string): boolean;
}

/** The caller's request out of a trusted proxy's; null where its account contradicts itself or is malformed. */
export type ThroughProxy = (observed: ObservedRequest) => ObservedRequest | null;

const forwardedProto = 'x-forwarded-proto';
const forwardedHost = 'x-forwarded-host';

export function throughProxy(trust: Trust, knowledge: Knowledge): ThroughProxy {
  // Cloudflare passes a client's own on.
  const believesHost = !trust.edgeHeaders.includes('cf');
  const believed = new Set([
    forwardedProto,
    ...(believesHost ? [forwardedHost] : []),
    ...trust.edgeHeaders.flatMap((each) => edgeHeaderNames[each]),
  ]);
  return (observed) => {
    const { method, path, query, priority, simulated } = observed;
    const origin = originOf(observed, believesHost, knowledge);
    if (origin === null) return null;
    const field = observed.headers[trust.header];
    const peer = observed.ip ?? '';
    const caller = field === undefined ? null : callerOf(trust.header, field, peer, trust.networks);
    const ip = caller?.ip ?? peer;
    const headers = emptyHeaders();
    const edgeHeaders = emptyHeaders();
    for (const [name, value] of Object.entries(observed.headers)) {
      if (name === trust.header) {
        edgeHeaders[name] = caller?.added ?? value;
        if (caller?.sent) headers[name] = caller.sent;
      } else if (believed.has(name)) edgeHeaders[name] = value;
      else headers[name] = value;
    }
    return {
      ...{ method, path, query, origin, ip, priority, simulated, headers, edgeHeaders },
      ...edgeFacts(observed.headers, trust.edgeHeaders),
      rateKey: knowledge.rateKeyOf(ip),
      // Nobody was named: it may be a page of this machine that calls, and no proxy.
      onLoopback: caller === null && observed.onLoopback,
      get location() {
        return knowledge.locate(ip);
      },
      get autonomousSystem() {
        return knowledge.autonomousSystem(ip);
      },
    };
  };
}

/** Scheme and host that the caller asked for; null where the proxy names two, or none that can be. */
function originOf(
  { origin, headers }: ObservedRequest,
  believesHost: boolean,
  { isAuthority }: Knowledge,
): string | null {
  const [scheme = '', authority = ''] = origin.split('://');
  const proto = single(headers[forwardedProto])?.toLowerCase() ?? scheme;
  const host = (believesHost ? single(headers[forwardedHost]) : undefined) ?? authority;
  return /^https?$/.test(proto) && isAuthority(host) ? `${proto}://${host}` : null;
}

/** The value that every hop gave; a list of different ones stays a list, which is no scheme and no host. */
function single(field: string | undefined): string | undefined {
  const values = field?.split(',').map((value) => value.trim());
  return values?.every((value) => value === values[0]) ? values[0] : field;
}

const emptyHeaders = (): Record<string, string> => Object.create(null);
