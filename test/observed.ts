/** Two observed requests for tests: one without any observed value, one with every value. */
import { type HeaderField, type ObservedRequest, unobserved } from '../src/core/observed.ts';
import { simulate } from '../src/edges/simulated.ts';

/** Header fields with these names, and values that do not matter. */
export const fieldsNamed = (...names: readonly string[]): HeaderField[] => names.map((name) => [name, 'value']);

export const seenNothing: ObservedRequest = {
  method: 'GET',
  path: '/json',
  query: '',
  origin: 'http://localhost:8080',
  isSecure: false,
  ...unobserved,
  ip: null,
  rateKey: 'key',
  headers: {},
  edgeHeaders: {},
  simulated: true,
  onLoopback: false,
};

/** Values that a test does not name come from the simulated edge, so that a new field has one. */
const simulated = simulate(seenNothing);

export const seenAll: ObservedRequest = {
  ...unobserved,
  method: 'GET',
  path: '/json',
  query: '',
  origin: 'https://seenby.example',
  isSecure: true,
  ip: '2001:db8::1',
  port: 50_123,
  rateKey: 'key',
  location: {
    ...simulated.location,
    country: 'NO',
    countryName: 'Norway (as the edge says)',
    region: 'Oslo County',
    regionCode: '03',
    city: 'Oslo',
    postalCode: '0150',
    metroCode: '501',
    continent: 'XX',
    timezone: 'Europe/Somewhere',
    isEU: true,
    latitude: 59.9127,
    longitude: 10.7461,
  },
  autonomousSystem: { ...simulated.autonomousSystem, asn: 2119, asOrganization: 'Telenor Norge AS' },
  colo: 'OSL',
  transport: { ...simulated.transport, clientTcpRttMs: 12.5, clientQuicRttMs: 0.25, deliveryRateBps: 1_000_000 },
  tls: {
    ...simulated.tls,
    version: 'TLSv1.3',
    cipher: 'TLS_AES_128_GCM_SHA256',
    clientHelloLength: 508,
    clientCiphersSha1: 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=',
    clientExtensionsSha1: 'BBBBBBBBBBBBBBBBBBBBBBBBBBA=',
  },
  handshake: {
    ...unobserved.handshake,
    clientHello: Buffer.from(`0303${'00'.repeat(33)}00041301130201000000`, 'hex'),
    headerFields: [
      [':method', 'GET'],
      [':authority', 'seenby.example'],
      [':scheme', 'https'],
      [':path', '/json'],
      ['user-agent', 'curl/8.5.0'],
      ['accept', '*/*'],
    ],
  },
  layers: { ...simulated.layers, tlsMs: 14.2, tlsResumed: false, http2Ms: 13.1 },
  ping: async () => 12.9,
  protocol: 'HTTP/2',
  priority: 'u=0, i',
  acceptEncoding: 'gzip, br',
  headers: { 'user-agent': 'curl/8.5.0', accept: '*/*' },
  edgeHeaders: { 'x-edge': '1' },
  simulated: false,
  onLoopback: false,
};
