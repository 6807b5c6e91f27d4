/** Wraps the application on a developer's machine: fills in network values that only the internet can show. */
import { isPublicAddress, parseAddress } from '../core/address.ts';
import type { AutonomousSystem, ObservedLocation, ObservedRequest, ObservedTls, Transport } from '../core/observed.ts';
import type { App } from '../http/app.ts';

export function wrapSimulation(app: App): App {
  return (observed, platform, body) => app(simulate(observed), platform, body);
}

/** Keeps every observed value; the simulated ones are the same for every request. */
export function simulate(observed: ObservedRequest): ObservedRequest {
  const { ip, location, autonomousSystem, protocol } = observed;
  const address = parseAddress(ip ?? '');
  const isPublic = address !== null && isPublicAddress(address);
  const values: Partial<ObservedRequest> = {
    ip: isPublic ? ip : ip?.includes(':') ? ipv6 : ipv4,
    location: location.country === null ? london : location,
    autonomousSystem: autonomousSystem.asn === null ? network : autonomousSystem,
    colo: observed.colo ?? 'LHR',
    transport: fillMissing(observed.transport, protocol === 'HTTP/3' ? overQuic : overTcp),
    tls: fillMissing(observed.tls, curlTls),
    simulated: true,
  };
  // A proxy and not a copy, because the members of an observed request may be getters.
  return new Proxy(observed, { get: (target, name) => Reflect.get(name in values ? values : target, name) });
}

function fillMissing<Value extends object>(seen: Value, simulated: Value): Value {
  const known = Object.entries(seen).filter(([, value]) => value !== null);
  return { ...simulated, ...Object.fromEntries(known) };
}

// Reserved for documentation: RFC 5737, RFC 3849 and RFC 5398.
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

/** The values of curl with OpenSSL 3. */
const curlTls: ObservedTls = {
  version: 'TLSv1.3',
  cipher: 'TLS_AES_256_GCM_SHA384',
  clientHelloLength: 508,
  clientCiphersSha1: 'GXSPDLP4G3X+prK73a4wBuOaHRc=',
  clientExtensionsSha1: 'tlH5gnoC5Z1HF45J5OgHEi338V0=',
};
