/** What proxies respond themselves, with the shipped configurations: Seenby's form of an error, because clients parse it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { ErrorCode } from '../../src/core/errors.ts';
import { ingressBounds } from '../../src/ingress/bounds.ts';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { http2Client, parseReply } from '../acceptance/client.ts';
import { type DeployedProxy, isInstalled, proxies, type RunningProxy, startProxy } from '../acceptance/proxies.ts';
import { assertError } from '../acceptance/suite.ts';
import { rawClient } from '../ingress/raw-client.ts';

const long = 'a'.repeat(20_000);
const end = 'Host: localhost\r\nConnection: close\r\n\r\n';
const valid = `GET /json HTTP/1.1\r\n${end}`;

/** What, the bytes of a request, and the error. */
type Case = readonly [what: string, bytes: string, code: ErrorCode];
const rejectedByNginx: readonly Case[] = [
  ['the path is not valid', `GET /%00 HTTP/1.1\r\n${end}`, 'malformed_request'],
  ['the path is too long', `GET /${long} HTTP/1.1\r\n${end}`, 'uri_too_long'],
  ['a header is too large', `GET / HTTP/1.1\r\nX: ${long}\r\n${end}`, 'headers_too_large'],
  ['the version is not supported', `GET / HTTP/3.0\r\n${end}`, 'version_not_supported'],
];
const { nginx, nginxProxyManager, haproxy, caddy } = proxies;
const rows: readonly { readonly proxy: DeployedProxy; readonly cases: readonly Case[] }[] = [
  { proxy: nginx, cases: [['Seenby is down', valid, 'upstream_error'], ...rejectedByNginx] },
  {
    proxy: nginxProxyManager,
    cases: [
      ['Seenby is down', valid, 'upstream_error'],
      ['nginx knows no such method', `TRACE / HTTP/1.1\r\n${end}`, 'method_not_allowed'],
      ...rejectedByNginx,
    ],
  },
  {
    proxy: haproxy,
    cases: [
      ['Seenby is down', valid, 'overloaded'],
      ['the method belongs to the preface of HTTP/2', `PRI * HTTP/1.1\r\n${end}`, 'malformed_request'],
    ],
  },
  { proxy: caddy, cases: [['Seenby is down', valid, 'upstream_error']] },
];

/** In CI a missing requirement is a failure. */
const skipOf = ({ command }: DeployedProxy) => !isInstalled(command) && !process.env.CI && `needs ${command}`;

const pem = await createLocalhostCertificate();
// Nothing listens at the port of the service.
const down = { http: 'http://127.0.0.1:1', https: null };

/** HAProxy that waits for a response only briefly. */
const impatient: DeployedProxy = {
  ...haproxy,
  edits: (machine) => [...haproxy.edits(machine), ['timeout server 30s', 'timeout server 100ms']],
};

/** Runs `use` with a proxy before a service that does `act` with each connection. */
async function withProxy(
  proxy: DeployedProxy,
  act: (socket: Socket) => void,
  use: (origin: string) => Promise<void>,
): Promise<void> {
  const service = createServer(act).listen(0, '127.0.0.1');
  await once(service, 'listening');
  const { port } = service.address() as AddressInfo;
  const front = await startProxy(proxy, { http: `http://127.0.0.1:${port}`, https: null }, pem);
  try {
    await use(front.http);
  } finally {
    await front.close();
    front.remove();
    service.close();
  }
}

for (const { proxy, cases } of rows) {
  describe(proxy.name, { skip: skipOf(proxy) }, () => {
    let front: RunningProxy;
    before(async () => {
      front = await startProxy(proxy, down, pem);
    });
    after(async () => {
      await front.close();
      front.remove();
    });

    for (const [what, bytes, code] of cases)
      test(`responds in Seenby's form if ${what}`, async () => {
        for (const origin of [front.http, front.https])
          assertError(parseReply(await rawClient(origin, bytes).closed), code);
      });

    test("responds over HTTP/2 in Seenby's form", async () => {
      const [[, , code] = assert.fail()] = cases;
      assertError(await http2Client(front.https).request('/json'), code);
    });
  });
}

test('nginx closes an idle connection to Seenby before Seenby does: it would respond with 502 to a POST in transit', () => {
  const configuration = readFileSync(new URL('../../docs/deploy/nginx.conf', import.meta.url), 'utf8');
  const [, seconds] = /^ {4}keepalive_timeout (\d+)s;$/m.exec(configuration) ?? assert.fail();
  assert.ok(Number(seconds) * 1000 < ingressBounds.idleTimeoutMs);
});

describe(`${haproxy.name} before a service that does not respond`, { skip: skipOf(haproxy) }, () => {
  for (const [what, proxy, act, code] of [
    ['closes the connection', haproxy, (socket: Socket) => socket.destroy(), 'upstream_error'],
    ['is silent', impatient, (socket: Socket) => socket.on('error', () => {}), 'upstream_timeout'],
  ] as const)
    test(`responds in Seenby's form if it ${what}`, () =>
      withProxy(proxy, act, async (origin) => assertError(parseReply(await rawClient(origin, valid).closed), code)));
});
