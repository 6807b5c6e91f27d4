/** Observes one request by what Cloudflare says of it. */
import { contains, formatAddress, parseAddress, prefixOf, unmapped, widthOf } from '../../core/address.ts';
import type { ObservedLocation, ObservedRequest, ObservedTls, Transport } from '../../core/observed.ts';
import { splitHeaders } from './headers.ts';
import type { IncomingCf, IncomingRequest } from './runtime.ts';

/** Origin, path and query as sent: a URL object would tidy them up. */
const targetShape = /^(https?:\/\/[^/?#]*)([^?#]*)\??([^#]*)/i;

export function observe(request: IncomingRequest): ObservedRequest {
  const { method, url, cf = {} } = request;
  const [, origin = '', path = '', query = ''] = targetShape.exec(url) ?? [];
  const peer = request.headers.get('cf-connecting-ip');
  const ip = addressOf(peer, request.headers.get('cf-connecting-ipv6'));
  const acceptEncoding = clientAcceptEncoding(cf);
  const { headers, edgeHeaders } = splitHeaders(request.headers, peer, acceptEncoding);
  const protocol = protocols.find((each) => each === cf.httpProtocol) ?? null;
  return {
    method,
    path: path === '' ? '/' : path,
    query,
    origin,
    ip,
    rateKey: rateKeyOf(ip),
    location: locationOf(cf),
    autonomousSystem: { asn: whole(cf.asn), asOrganization: text(cf.asOrganization) },
    colo: text(cf.colo),
    transport: transportOf(cf, protocol),
    tls: tlsOf(cf),
    protocol,
    priority: text(cf.requestPriority) ?? headers.priority ?? null,
    acceptEncoding: acceptEncoding === undefined ? (headers['accept-encoding'] ?? null) : acceptEncoding,
    headers,
    edgeHeaders,
    simulated: false,
    onLoopback: false,
  };
}

const protocols = ['HTTP/1.0', 'HTTP/1.1', 'HTTP/2', 'HTTP/3'] as const satisfies ObservedRequest['protocol'][];

/** Where "Pseudo IPv4" takes the addresses from that it puts in place of IPv6 ones. */
const classE = prefixOf('240.0.0.0/4');

function addressOf(connecting: string | null, connectingIpv6: string | null): string | null {
  const peer = parseAddress(connecting ?? '');
  if (peer === null) return null;
  const caller = contains(classE, peer) ? (parseAddress(connectingIpv6 ?? '') ?? peer) : peer;
  return formatAddress(unmapped(caller));
}

/** The address, or the /64 of IPv6. */
function rateKeyOf(ip: string | null): string {
  const address = parseAddress(ip ?? '');
  if (address === null || address.version === 4) return ip ?? '';
  const hostBits = BigInt(widthOf(address) / 2);
  return formatAddress({ ...address, bits: (address.bits >> hostBits) << hostBits });
}

/** Null where the client sent none, undefined where Cloudflare does not say. */
function clientAcceptEncoding({ clientAcceptEncoding: sent }: IncomingCf): string | null | undefined {
  return sent === undefined ? undefined : text(sent);
}

/** T1 is Tor here too. */
const continents = ['AF', 'AN', 'AS', 'EU', 'NA', 'OC', 'SA'];

function locationOf(cf: IncomingCf): ObservedLocation {
  const country = text(cf.country);
  return {
    // XX is unknown and T1 is Tor: https://developers.cloudflare.com/network/ip-geolocation/
    country: country === 'XX' || country === 'T1' ? null : country,
    countryName: null,
    region: text(cf.region),
    regionCode: text(cf.regionCode),
    city: text(cf.city),
    postalCode: text(cf.postalCode),
    metroCode: text(cf.metroCode),
    continent: continents.find((each) => each === cf.continent) ?? null,
    timezone: text(cf.timezone),
    // "1", or left out for other countries, or false.
    isEU: cf.isEUCountry === '1' || cf.isEUCountry === true ? true : null,
    latitude: degrees(cf.latitude, 90),
    longitude: degrees(cf.longitude, 180),
  };
}

/** An unmeasured round trip is 0, and so is that of the transport which was not used. */
function transportOf(cf: IncomingCf, protocol: ObservedRequest['protocol']): Transport {
  const { edgeL4 } = cf;
  const isQuic = protocol === 'HTTP/3';
  return {
    clientTcpRttMs: isQuic ? null : positive(cf.clientTcpRtt),
    clientQuicRttMs: isQuic ? positive(cf.clientQuicRtt) : null,
    deliveryRateBps: positive(isRecord(edgeL4) ? edgeL4.deliveryRate : null),
  };
}

const sha1Shape = /^[\w+/]{27}=$/;

function tlsOf(cf: IncomingCf): ObservedTls {
  const version = text(cf.tlsVersion);
  // Over plain HTTP the version is empty, or none.
  const isTls = version !== null && /^(?:TLS|SSL)/.test(version);
  const sha1 = (value: unknown): string | null => (sha1Shape.test(text(value) ?? '') ? text(value) : null);
  return {
    version: isTls ? version : null,
    cipher: isTls ? text(cf.tlsCipher) : null,
    clientHelloLength: whole(cf.tlsClientHelloLength),
    clientCiphersSha1: sha1(cf.tlsClientCiphersSha1),
    clientExtensionsSha1: sha1(cf.tlsClientExtensionsSha1),
  };
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A number, or a string of one: Cloudflare has both. */
function number(value: unknown): number | null {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof read === 'number' && Number.isFinite(read) ? read : null;
}

function positive(value: unknown): number | null {
  const read = number(value);
  return read !== null && read > 0 ? read : null;
}

function whole(value: unknown): number | null {
  const read = positive(value);
  return Number.isSafeInteger(read) ? read : null;
}

function degrees(value: unknown, most: number): number | null {
  const read = number(value);
  return read !== null && Math.abs(read) <= most ? read : null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
