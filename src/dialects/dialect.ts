/** A response in the shape of another service, so that the clients of that service work with this one. */
import { formatAddress, isPublicAddress, isWithin, networks, parseAddress, unmapped } from '../core/address.ts';
import { ServiceError } from '../core/errors.ts';
import { type ObservedRequest, unobserved } from '../core/observed.ts';
import type { AddressData, RateDecision } from '../core/platform.ts';
import { clip } from '../core/text.ts';
import type { PortCheck } from '../lookups/port/port-check.ts';
import { type Geo, geo } from '../resources/geo.ts';

export interface DialectRequest {
  /** The client, or the address that it names; only the address if that is unfit. */
  readonly about: Geo;
  /** Reason for having no data about the address. */
  readonly unfit: 'malformed' | 'private' | 'reserved' | null;
  readonly observed: ObservedRequest;
  /** Whether the client names an address, which makes the request a lookup. */
  readonly isLookup: boolean;
  /** Names and values of the query, decoded. */
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly decision: RateDecision;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** The port that the client names in the path, not validated; null if the path has none. */
  readonly port: string | null;
  /** Checks a TCP port of the client; rejects with the errors of `/api/port`. */
  checkPort(port: string): Promise<PortCheck>;
}

export interface DialectReply {
  readonly body: string;
  /** Default: 200. */
  readonly status?: number;
  /** Default: the media type of the row. */
  readonly mediaType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One path of a service. */
export interface DialectRow {
  /** The path after `/as/<service>`; `{ip}` and `{port}` stand for an address and a port that the client names. */
  readonly path: string;
  /** Its response, for the documentation. */
  readonly summary: string;
  readonly mediaType: string;
  /** Media types that the client can choose instead. */
  readonly otherMediaTypes?: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly description: string }[];
  /** The parameter of the query in which the client may name an address. */
  readonly addressParameter?: string;
  /** Set if it connects to a port of the client. */
  readonly connectsBack?: true;
  readonly shape: (request: DialectRequest) => string | DialectReply | Promise<string | DialectReply>;
}

/** Rows of one media type. */
export const rowsOf = (
  mediaType: string,
  rows: readonly (readonly [path: string, summary: string, shape: DialectRow['shape']])[],
): DialectRow[] => rows.map(([path, summary, shape]) => ({ path, summary, shape, mediaType }));

export const mediaTypes = {
  json: 'application/json',
  utf8Json: 'application/json; charset=utf-8',
  javascript: 'application/javascript',
  text: 'text/plain; charset=utf-8',
} as const;

/** Returns what is known about the client, or about the address that it names; throws `no_database` if the runtime has no databases. */
export function subjectOf(
  named: string | null,
  observed: ObservedRequest,
  data: AddressData | null,
): Pick<DialectRequest, 'about' | 'unfit'> {
  const parsed = parseAddress(named?.trim() ?? observed.ip ?? '');
  if (parsed === null) return { about: unknown(named && clip(named)), unfit: 'malformed' };
  const address = unmapped(parsed);
  const ip = formatAddress(address);
  const isPrivate = isWithin(networks.private ?? [], address);
  const isFit = isPublicAddress(address) || (named === null && observed.simulated);
  const unfit = isFit ? null : isPrivate ? 'private' : 'reserved';
  if (named === null) return { about: geo(observed), unfit };
  if (unfit !== null) return { about: unknown(ip), unfit };
  if (data === null) throw new ServiceError('no_database');
  const location = data.locate(ip);
  const autonomousSystem = data.autonomousSystem(ip);
  return { about: geo({ ip, location, autonomousSystem, colo: null }), unfit };
}

const unknown = (ip: string | null): Geo => geo({ ...unobserved, ip });

/** `AS64500`; empty if it is not known. */
export const asnOf = ({ asn }: Pick<Geo, 'asn'>): string => (asn === null ? '' : `AS${asn}`);

/** `AS64500 Example Net`, as far as it is known. */
export const networkOf = (about: Pick<Geo, 'asn' | 'asOrganization'>): string =>
  [asnOf(about), about.asOrganization ?? ''].filter((part) => part !== '').join(' ');

/** The members that are known: neither empty nor null nor undefined. */
export const omitUnknown = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => (value ?? '') !== ''));

/** JSON with an indent of two spaces, without a final newline. */
export const indent = (value: object): string => JSON.stringify(value, null, 2);

/** The first value of a parameter; null without it. */
export const parameterOf = ({ query }: Pick<DialectRequest, 'query'>, name: string): string | null =>
  query.find(([each]) => each === name)?.[1] ?? null;

/** Wraps JSON in a call of the function that the client names, if it names one; throws `invalid_query` if that is not a name. */
export function wrapCallback(json: string, callback: string | null): DialectReply {
  if (callback === null) return { body: json };
  if (!/^[A-Za-z_$][\w$.]{0,63}$/.test(callback))
    throw new ServiceError('invalid_query', 'This is not the name of a function; send one as callback, such as f.');
  return { body: `${callback}(${json});`, mediaType: mediaTypes.javascript };
}
