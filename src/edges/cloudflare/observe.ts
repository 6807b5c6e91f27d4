/** Observes one request, from the request, and the properties and headers that Cloudflare adds to it. */

import { parseJa3 } from '../../client/fingerprint/ja3.ts';
import { parseJa4 } from '../../client/fingerprint/ja4.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import { type ObservedRequest, type Protocol, parseSha1, protocols, unobserved } from '../../core/observed.ts';
import { clientNetworkOf } from '../../wire/client-network.ts';
import { cloudflareAddressOf, sameAddress, splitAppended } from '../proxy/cloudflare-address.ts';

/** https://developers.cloudflare.com/workers/runtime-apis/request/#incomingrequestcfproperties, where no member's type is reliable. */
export type IncomingCf = JsonObject;

export interface IncomingRequest extends Request {
  /** Absent in the preview of the dashboard. */
  readonly cf?: IncomingCf;
}

/** Origin, path and query as sent: a URL object would normalize them. */
const targetShape = /^(https?:\/\/[^/?#]*)([^?#]*)\??([^#]*)/i;

export function observe(request: IncomingRequest): ObservedRequest {
  const { method, url, cf = {} } = request;
  const [, origin = '', path = '', query = ''] = targetShape.exec(url) ?? [];
  const peer = request.headers.get('cf-connecting-ip');
  const ip = cloudflareAddressOf(peer, request.headers.get('cf-connecting-ipv6'));
  // Null if the client sent none, undefined if Cloudflare does not report it.
  const acceptEncoding = cf.clientAcceptEncoding === undefined ? undefined : nonEmptyText(cf.clientAcceptEncoding);
  const { headers, edgeHeaders } = splitHeaders(request.headers, peer, acceptEncoding);
  const protocol = protocols.find((each) => each === cf.httpProtocol) ?? null;
  return {
    method,
    path: path === '' ? '/' : path,
    query,
    origin,
    isSecure: /^https:/i.test(origin),
    ip,
    // Cloudflare does not report it to Workers.
    port: null,
    rateKey: clientNetworkOf(ip ?? ''),
    location: locationOf(cf),
    autonomousSystem: { asn: integerOf(cf.asn), asOrganization: nonEmptyText(cf.asOrganization) },
    colo: nonEmptyText(cf.colo),
    transport: transportOf(cf, protocol),
    tls: tlsOf(cf),
    handshake: handshakeOf(cf),
    layers: unobserved.layers,
    ping: null,
    protocol,
    // Cloudflare does not report it to Workers.
    requestNumber: null,
    priority: nonEmptyText(cf.requestPriority) ?? headers.priority ?? null,
    acceptEncoding: acceptEncoding === undefined ? (headers['accept-encoding'] ?? null) : acceptEncoding,
    headers,
    edgeHeaders,
    simulated: false,
    onLoopback: false,
  };
}

/** T1 (Tor) appears here too, and is not a continent. */
const continents = ['AF', 'AN', 'AS', 'EU', 'NA', 'OC', 'SA'];

function locationOf(cf: IncomingCf): ObservedRequest['location'] {
  const country = nonEmptyText(cf.country);
  return {
    // XX is unknown and T1 is Tor: https://developers.cloudflare.com/network/ip-geolocation/
    country: country === 'XX' || country === 'T1' ? null : country,
    countryName: null,
    region: nonEmptyText(cf.region),
    regionCode: nonEmptyText(cf.regionCode),
    city: nonEmptyText(cf.city),
    postalCode: nonEmptyText(cf.postalCode),
    metroCode: nonEmptyText(cf.metroCode),
    continent: continents.find((each) => each === cf.continent) ?? null,
    timezone: nonEmptyText(cf.timezone),
    // "1" for countries of the EU; absent or false for others.
    isEU: cf.isEUCountry === '1' || cf.isEUCountry === true ? true : null,
    latitude: degreesOf(cf.latitude, 90),
    longitude: degreesOf(cf.longitude, 180),
  };
}

/** Cloudflare reports 0 for an unmeasured RTT, and for the transport that was not used. */
function transportOf(cf: IncomingCf, protocol: Protocol | null): ObservedRequest['transport'] {
  const { edgeL4 } = cf;
  const isQuic = protocol === 'HTTP/3';
  return {
    clientTcpRttMs: isQuic ? null : positiveOf(cf.clientTcpRtt),
    clientQuicRttMs: isQuic ? positiveOf(cf.clientQuicRtt) : null,
    deliveryRateBps: positiveOf(isObject(edgeL4) ? edgeL4.deliveryRate : null),
  };
}

function tlsOf(cf: IncomingCf): ObservedRequest['tls'] {
  const version = nonEmptyText(cf.tlsVersion);
  // Over plain HTTP the version is empty or absent.
  const isTls = version !== null && /^(?:TLS|SSL)/.test(version);
  return {
    version: isTls ? version : null,
    cipher: isTls ? nonEmptyText(cf.tlsCipher) : null,
    clientHelloLength: integerOf(cf.tlsClientHelloLength),
    clientCiphersSha1: parseSha1(nonEmptyText(cf.tlsClientCiphersSha1) ?? ''),
    clientExtensionsSha1: parseSha1(nonEmptyText(cf.tlsClientExtensionsSha1) ?? ''),
  };
}

/** JA3 and JA4 come with Bot Management only; headers are sorted, so their order is not the client's. */
function handshakeOf({ botManagement }: IncomingCf): ObservedRequest['handshake'] {
  const { ja3Hash, ja4 } = isObject(botManagement) ? botManagement : {};
  return {
    ...unobserved.handshake,
    ja3: parseJa3(nonEmptyText(ja3Hash) ?? ''),
    ja4: parseJa4(nonEmptyText(ja4) ?? ''),
  };
}

const nonEmptyText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Accepts numbers and numeric strings: Cloudflare sends both. */
function numberOf(value: unknown): number | null {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof read === 'number' && Number.isFinite(read) ? read : null;
}

function positiveOf(value: unknown): number | null {
  const read = numberOf(value);
  return read !== null && read > 0 ? read : null;
}

function integerOf(value: unknown): number | null {
  const read = positiveOf(value);
  return Number.isSafeInteger(read) ? read : null;
}

function degreesOf(value: unknown, most: number): number | null {
  const read = numberOf(value);
  return read !== null && Math.abs(read) <= most ? read : null;
}

/** Always set by Cloudflare, like every name that begins with `cf-`. */
const edgeNames: readonly string[] = ['connection', 'x-forwarded-proto'];

/** Set by Cloudflare if they contain the client's address; a client may send them too. */
const addressNames: readonly string[] = ['true-client-ip', 'x-real-ip'];

/**
 * Separates the client's headers from the headers that Cloudflare added. `peer` is `cf-connecting-ip`; `acceptEncoding` is the
 * client's header of this name: null if it sent none, undefined if unknown.
 * https://developers.cloudflare.com/fundamentals/reference/http-headers/
 */
export function splitHeaders(received: Headers, peer: string | null, acceptEncoding: string | null | undefined) {
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
      const isOurs = (last: string): boolean =>
        (name === 'x-forwarded-for' && isPeer(last)) || (name === 'cdn-loop' && isCloudflare(last));
      const { sent, added } = splitAppended(value, isOurs);
      if (sent !== null) headers[name] = sent;
      if (added !== null) edgeHeaders[name] = added;
    }
  }
  return { headers, edgeHeaders };
}

/** Matches the comma with which the runtime joined two lines, as it does for other headers: RFC 9113 §8.2.3 requires a semicolon. */
const cookieJoint = /, (?=[^\s=;,]+=)/g;

/** RFC 8586: the token of a network, with optional parameters. */
const isCloudflare = (value: string): boolean => /^cloudflare(?:$|[;\s])/i.test(value);
