/** Stands before the application on a developer's machine, and fills in what the outside alone can show. */
import { parseAddress } from '../core/address.ts';
import type { AutonomousSystem, ObservedLocation, ObservedRequest, ObservedTls, Transport } from '../core/observed.ts';
import type { App } from '../http/app.ts';
import { isPublicAddress } from '../lookups/public-address.ts';

export function simulated(app: App): App {
  return (observed, platform, body) => app(simulate(observed), platform, body);
}

/** What was seen stays; the same request is always filled in alike. */
export function simulate(observed: ObservedRequest): ObservedRequest {
  const { method, path, query, origin, rateKey, protocol, priority, acceptEncoding, headers, edgeHeaders } = observed;
  const { ip, location, autonomousSystem, colo, transport, tls, onLoopback } = observed;
  return {
    method,
    path,
    query,
    origin,
    ip: isPublic(ip) ? ip : ip?.includes(':') ? ipv6 : ipv4,
    rateKey,
    location: location.country === null ? london : location,
    autonomousSystem: autonomousSystem.asn === null ? network : autonomousSystem,
    colo: colo ?? 'LHR',
    transport: filled(transport, protocol === 'HTTP/3' ? overQuic : overTcp),
    tls: filled(tls, curlTls),
    protocol,
    priority,
    acceptEncoding,
    headers,
    edgeHeaders,
    simulated: true,
    onLoopback,
  };
}

function isPublic(ip: string | null): boolean {
  const address = parseAddress(ip ?? '');
  return address !== null && isPublicAddress(address);
}

function filled<Value extends object>(seen: Value, simulated: Value): Value {
  const known = Object.entries(seen).filter(([, value]) => value !== null);
  return { ...simulated, ...Object.fromEntries(known) };
}

// For documentation: RFC 5737, RFC 3849 and RFC 5398.
const ipv4 = '203.0.113.7';
const ipv6 = '2001:db8::7';
const network: AutonomousSystem = { asn: 64496, asOrganization: 'Example Network' };

const london: ObservedLocation = {
  country: 'GB',
  countryName: 'United Kingdom',
  region: 'England',
  regionCode: 'ENG',
  city: 'London',
  postalCode: 'EC1A',
  metroCode: null,
  continent: 'EU',
  timezone: 'Europe/London',
  isEU: false,
  latitude: 51.5142,
  longitude: -0.0931,
};

const overTcp: Transport = { clientTcpRttMs: 12.5, clientQuicRttMs: null, deliveryRateBps: 1_250_000 };
const overQuic: Transport = { clientTcpRttMs: null, clientQuicRttMs: 11.5, deliveryRateBps: 1_250_000 };

/** What curl with OpenSSL 3 sends. */
const curlTls: ObservedTls = {
  version: 'TLSv1.3',
  cipher: 'TLS_AES_256_GCM_SHA384',
  clientHelloLength: 508,
  clientCiphersSha1: 'GXSPDLP4G3X+prK73a4wBuOaHRc=',
  clientExtensionsSha1: 'tlH5gnoC5Z1HF45J5OgHEi338V0=',
};
