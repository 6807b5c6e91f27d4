/** Requests as a Worker receives them. */
import type { IncomingCf, IncomingRequest } from '../../../src/edges/cloudflare/observe.ts';

export function requestOf(
  headers: Readonly<Record<string, string>> = {},
  cf?: IncomingCf,
  url = 'https://seenby.example/json',
): IncomingRequest {
  const request = new Request(url, { headers });
  // A Request normalizes the URL; the runtime keeps the one that was sent.
  return Object.defineProperty(cf === undefined ? request : Object.assign(request, { cf }), 'url', { value: url });
}

/** The request of a Chrome in Austin over HTTP/3. */
export const austin: IncomingCf = {
  asn: 395747,
  asOrganization: 'Example Telecom',
  colo: 'DFW',
  country: 'US',
  continent: 'NA',
  region: 'Texas',
  regionCode: 'TX',
  city: 'Austin',
  postalCode: '78701',
  metroCode: '635',
  latitude: '30.27130',
  longitude: '-97.74260',
  timezone: 'America/Chicago',
  clientTcpRtt: 0,
  clientQuicRtt: 9,
  edgeL4: { deliveryRate: 123_456 },
  tlsVersion: 'TLSv1.3',
  tlsCipher: 'AEAD-AES128-GCM-SHA256',
  tlsClientHelloLength: '508',
  tlsClientCiphersSha1: 'GXSPDLP4G3X+prK73a4wBuOaHRc=',
  tlsClientExtensionsSha1: 'Y7DIC8A6G0/aXviZ8ie/xDbJb7g=',
  httpProtocol: 'HTTP/3',
  requestPriority: '',
  clientAcceptEncoding: 'gzip, deflate, br',
};
