/** Alt-Svc: who gets it, and which port it names. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Settings } from '../../../src/core/settings.ts';
import { createAltSvc } from '../../../src/edges/node/responses.ts';
import type { Exchange } from '../../../src/ingress/exchange.ts';

const response = { status: 200, headers: { 'Content-Type': 'text/plain' }, ownHeaders: { RateLimit: '1' }, body: '' };

interface Connected {
  readonly authority?: string;
  readonly isSecure?: boolean;
  readonly relayed?: boolean;
  readonly trusted?: boolean;
}

const exchangeOf = ({ authority = 'a.example', isSecure = true, relayed = false, trusted = false }: Connected) =>
  ({ connection: { isSecure, client: { relayed, trusted } }, target: { authority } }) as Exchange;

function altSvcOf(port: number | null | undefined, settings: Partial<Settings>, connected: Connected = {}) {
  const altSvc = createAltSvc({ publicUrl: null, http3Port: 8443, tlsPort: 8443, ...settings });
  altSvc.port = port;
  return altSvc.addTo(response, exchangeOf(connected)).ownHeaders?.['Alt-Svc'];
}

test("names the port of PUBLIC_URL, else of the request's host, as clients reach both ports by the same number", () => {
  assert.equal(altSvcOf(8443, {}), 'h3=":443"; ma=86400');
  assert.equal(altSvcOf(8443, {}, { authority: 'a.example:8443' }), 'h3=":8443"; ma=86400');
  assert.equal(altSvcOf(8443, {}, { authority: '[2001:db8::1]:4433' }), 'h3=":4433"; ma=86400');
  assert.equal(altSvcOf(8443, {}, { authority: '[2001:db8::1]' }), 'h3=":443"; ma=86400');
  assert.equal(altSvcOf(8443, { publicUrl: 'https://b.example:444' }, { authority: 'a:1' }), 'h3=":444"; ma=86400');
  assert.equal(altSvcOf(8443, { publicUrl: 'https://b.example' }, { authority: 'a:1' }), 'h3=":443"; ma=86400');
  assert.equal(altSvcOf(8443, { publicUrl: 'http://b.example' }, { authority: 'a:1' }), 'h3=":1"; ma=86400');
});

test('names the UDP port itself if it has another number than the HTTPS port, or the system chose it', () => {
  assert.equal(altSvcOf(9443, { http3Port: 9443 }, { authority: 'a:8443' }), 'h3=":9443"; ma=86400');
  assert.equal(altSvcOf(50_000, { http3Port: 0, tlsPort: 0 }, { authority: 'a:40000' }), 'h3=":50000"; ma=86400');
  for (const publicUrl of ['https://b.example', 'https://b.example:8443', 'http://b.example:8080'])
    assert.equal(
      altSvcOf(9443, { http3Port: 9443, publicUrl }, { authority: 'b.example:8443' }),
      'h3=":9443"; ma=86400',
    );
});

test('takes the announcement back while HTTP/3 is not served, and says nothing if it is off', () => {
  assert.equal(altSvcOf(null, {}), 'clear');
  assert.equal(altSvcOf(undefined, {}), undefined);
});

test('says nothing over plain HTTP, through a PROXY header and to a trusted proxy', () => {
  for (const connected of [{ isSecure: false }, { relayed: true }, { trusted: true }])
    assert.equal(altSvcOf(8443, {}, connected), undefined);
});

test('adds to the headers of this response, and leaves those that it shares with others', () => {
  const altSvc = createAltSvc({ publicUrl: null, http3Port: 8443, tlsPort: 8443 });
  altSvc.port = null;
  const { headers, ownHeaders } = altSvc.addTo(response, exchangeOf({}));
  assert.equal(headers, response.headers);
  assert.deepEqual(ownHeaders, { RateLimit: '1', 'Alt-Svc': 'clear' });
});
