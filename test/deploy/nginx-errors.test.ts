/** What nginx responds itself, with the shipped configuration: Seenby's form of an error, because clients parse it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ErrorCode } from '../../src/core/errors.ts';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { parseReply } from '../acceptance/client.ts';
import { isInstalled, proxies, type RunningProxy, startProxy } from '../acceptance/proxies.ts';
import { assertError } from '../acceptance/suite.ts';
import { rawClient } from '../ingress/raw-client.ts';

const isMissing = !isInstalled(proxies.nginx.command);
// In CI a missing requirement is a failure.
const skip = isMissing && !process.env.CI ? 'needs nginx' : false;

let front: RunningProxy;
before(async () => {
  // Nothing listens at the port of the service.
  const upstream = { http: 'http://127.0.0.1:1', https: null };
  if (!isMissing) front = await startProxy(proxies.nginx, upstream, await createLocalhostCertificate());
});
after(async () => {
  await front?.close();
  front?.remove();
});

const long = 'a'.repeat(20_000);
const end = 'Host: localhost\r\nConnection: close\r\n\r\n';
for (const [what, bytes, code, status] of [
  ['Seenby is down', `GET /json HTTP/1.1\r\n${end}`, 'upstream_error', 502],
  ['the path is not valid', `GET /%00 HTTP/1.1\r\n${end}`, 'malformed_request', 400],
  ['the path is too long', `GET /${long} HTTP/1.1\r\n${end}`, 'uri_too_long', 414],
  ['a header is too large', `GET / HTTP/1.1\r\nX: ${long}\r\n${end}`, 'headers_too_large', 431],
  ['the version is not supported', `GET / HTTP/3.0\r\n${end}`, 'version_not_supported', 505],
] as const satisfies readonly (readonly [string, string, ErrorCode, number])[])
  test(`nginx responds in Seenby's form if ${what}`, { skip }, async () => {
    for (const origin of [front.http, front.https]) {
      const reply = parseReply(await rawClient(origin, bytes).closed);
      assert.equal(reply.status, status);
      assertError(reply, code);
      assert.equal(reply.headers['cache-control'], 'no-store');
      assert.equal(reply.headers['access-control-allow-origin'], '*');
    }
  });
