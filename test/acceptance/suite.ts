/** The acceptance suite: the responses of every edge, to every client that can reach it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { errors } from '../../src/core/errors.ts';
import { dialects } from '../../src/dialects/list.ts';
import { errorsOf, exampleOf, handlesGet } from '../../src/http/endpoint.ts';
import { endpoints } from '../../src/http/endpoints.ts';
import { lookupPageOf } from '../../src/http/page/lookup/pages.ts';
import { addressLookup, certificateLookup, lookups } from '../../src/lookups/list.ts';
import { maxBatch, maxBodyBytes } from '../../src/mcp/message.ts';
import { statelessVersions } from '../../src/mcp/server-info.ts';
import { tools } from '../../src/mcp/tools.ts';
import type { Client, Reply, RequestOptions } from './client.ts';
import { validateResponses } from './described.ts';
import { assertFields } from './fields.ts';

/** A running edge, as the suite needs it. */
export interface RunningEdge {
  readonly clients: readonly Client[];
  /** The client address that the edge observes. */
  readonly ip: string;
  close(): Promise<void>;
}

export interface EdgeUnderTest {
  readonly name: string;
  /** Starts an edge with these settings; `rateLimit` 0 means no limit. It locates its clients in London, GB. */
  start(options: { readonly rateLimit: number }): Promise<RunningEdge>;
  /** Names of the clients, known before the start. */
  readonly clientNames: readonly string[];
  /** Paths that a proxy in front of the edge rejects as malformed. */
  readonly malformedPaths?: readonly string[];
  /** Whether it is a Worker, which has no IP databases and no numbers of its limits. */
  readonly isWorker?: boolean;
  /** Whether the tests of a client run side by side, for a client that sends the requests of several together. */
  readonly sideBySide?: boolean;
}

const values = endpoints.filter((endpoint) => endpoint.kind === 'value');
const resources = endpoints.filter((endpoint) => endpoint.kind === 'resource');

export function acceptance(edge: EdgeUnderTest): void {
  describe(edge.name, () => {
    // One for all clients, because its start takes as long as the tests of a client.
    let running: RunningEdge;
    before(async () => {
      running = await startValidated(edge, { rateLimit: 0 });
    });
    after(() => running.close());

    for (const clientName of edge.clientNames)
      describe(clientName, { concurrency: edge.sideBySide === true }, () => {
        let client: Client;
        before(() => {
          client = findClient(running, clientName);
        });

        test('returns the address as text, with a newline', async () => {
          for (const path of ['/', '/ip']) {
            const reply = await client.request(path);
            assertCommon(reply, 200, 'text/plain; charset=utf-8');
            assert.equal(reply.body, `${running.ip}\n`);
          }
        });

        test('returns /ip as text for any Accept', async () => {
          const reply = await client.request('/ip?format=json', { headers: { accept: 'text/html, application/json' } });
          assert.equal(reply.body, `${running.ip}\n`);
          assert.equal(reply.headers.vary, undefined);
        });

        test('returns / as a page if HTML is requested', async () => {
          const reply = await client.request('/', { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
          assertCommon(reply, 200, 'text/html; charset=utf-8');
          // An edge that compresses adds Accept-Encoding.
          assert.match(`${reply.headers.vary}`, /^Accept(?:, Accept-Encoding)?$/);
          assert.ok(reply.body.includes(running.ip));
        });

        // workerd does not show the certificates of servers.
        const isOffered = (lookup: (typeof lookups)[number]) => !edge.isWorker || lookup !== certificateLookup;

        test('responds that a lookup is not enabled if the edge cannot run it', async () => {
          for (const { path } of lookups.filter((lookup) => !isOffered(lookup)))
            assertError(await client.request(`${path}?q=example.com`), 'not_enabled');
        });

        for (const { path, parameter } of lookups.filter(isOffered)) {
          test(`rejects ${path} without exactly one ${parameter.name}, for any Accept`, async () => {
            for (const query of ['', `?${parameter.name}=`, `?${parameter.name}=a&${parameter.name}=b`, '?other=1'])
              assertError(await client.request(path + query, { headers: { accept: 'text/plain' } }), parameter.error);
          });

          test(`rejects ${path} for instances of the service`, async () => {
            const headers = { 'user-agent': 'Seenby/1.0 (+https://another.example/docs)' };
            const reply = await client.request(`${path}?${parameter.name}=${parameter.example}`, { headers });
            assertError(reply, 'invalid_target');
          });
        }

        for (const lookup of lookups.filter(isOffered)) {
          const { path, action } = lookupPageOf(lookup);
          const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
          if (edge.isWorker && lookup === addressLookup) {
            test(`redirects from ${path} to the registration, because there is no database`, async () => {
              const reply = await client.request(`${path}?q=8.8.8.8`, { headers: html });
              assert.deepEqual([reply.status, reply.headers.location], [303, '/lookup/rdap?q=8.8.8.8']);
            });
            continue;
          }
          test(`serves ${path} as a page, and runs the lookup only for the visitor`, async () => {
            const empty = await client.request(path, { headers: html });
            assertCommon(empty, 200, 'text/html; charset=utf-8');
            const target = `${path}?${new URLSearchParams({ [lookup.parameter.name]: 'not valid' })}`;
            for (const site of ['none', 'same-origin']) {
              const reply = await client.request(target, { headers: { ...html, 'sec-fetch-site': site } });
              assertCommon(reply, errors[lookup.parameter.error].status, 'text/html; charset=utf-8');
              assert.ok(reply.body.includes(`/docs#error-${lookup.parameter.error}`));
            }
            for (const [headers, reason] of [
              [html, `cannot see whether you pressed ${action}.`],
              [{ ...html, 'sec-fetch-site': 'cross-site' }, `Nothing is sent until you press ${action}.`],
            ] as const) {
              const reply = await client.request(target, { headers });
              assertCommon(reply, 200, 'text/html; charset=utf-8');
              assert.ok(reply.body.includes(reason));
            }
            assertError(
              await client.request(target, { headers: { 'sec-fetch-site': 'none' } }),
              lookup.parameter.error,
            );
          });
        }

        for (const { path, schema } of resources) {
          test(`returns ${path} as JSON of its schema, with every field`, async () => {
            const reply = await client.request(path);
            assertCommon(reply, 200, 'application/json');
            assert.equal(reply.headers.vary, 'Accept');
            const body = JSON.parse(reply.body);
            assert.deepEqual(schema?.strict().parse(body), body);
          });

          test(`returns ${path} as text by parameter and by Accept`, async () => {
            const byParameter = await client.request(`${path}?format=text`, {
              headers: { accept: 'application/json' },
            });
            const byAccept = await client.request(path, { headers: { accept: 'text/plain' } });
            for (const reply of [byParameter, byAccept]) assertCommon(reply, 200, 'text/plain; charset=utf-8');
            assert.deepEqual(keysOf(byParameter.body), keysOf(byAccept.body));
            const json = await client.request(`${path}?format=json`, { headers: { accept: 'text/plain' } });
            assertCommon(json, 200, 'application/json');
          });

          test(`rejects unknown formats of ${path}`, async () => {
            for (const query of ['format=xml', 'format=', 'format', 'format=JSON', 'format=json&format=text']) {
              assertError(await client.request(`${path}?${query}`), 'invalid_format');
            }
          });
        }

        for (const { path, schema, rates } of values) {
          if (rates.includes('lookup')) continue;
          test(`returns ${path} as one line, and as JSON of its schema if that is preferred`, async () => {
            const text = await client.request(path);
            assertCommon(text, 200, 'text/plain; charset=utf-8');
            assert.equal(text.headers.vary, 'Accept');
            assert.match(text.body, /^[^\n]*\n$/);
            for (const reply of [
              await client.request(`${path}?format=json`, { headers: { accept: 'text/plain' } }),
              await client.request(path, { headers: { accept: 'application/json, */*;q=0.5' } }),
            ]) {
              assertCommon(reply, 200, 'application/json');
              const [value, ...rest] = Object.values(schema?.strict().parse(JSON.parse(reply.body)) ?? {});
              // Each client opens a connection per request, so the port differs.
              if (path !== '/port') assert.equal(`${value ?? ''}\n`, text.body);
              assert.deepEqual(rest, []);
            }
            assertError(await client.request(`${path}?format=xml`), 'invalid_format');
          });
        }

        test('returns location and network one value at a time', async () => {
          const { location, network } = await info(client);
          for (const [path, expected] of [
            ['/country', location.countryName],
            ['/country-code', location.country],
            ['/city', location.city],
            ['/region', location.region],
            ['/tz', location.timezone],
            ['/asn', network.asn],
            ['/isp', network.asOrganization],
          ])
            assert.equal((await client.request(path)).body, `${expected ?? ''}\n`);
        });

        test('has health checks, icons and files for programs', async () => {
          for (const [path, type, pattern] of [
            ['/healthz', 'text/plain; charset=utf-8', /^ok\n$/],
            ['/readyz', 'text/plain; charset=utf-8', /^ready\n$/],
            ['/robots.txt', 'text/plain; charset=utf-8', /^Disallow: \/lookup\/$/m],
            ['/favicon.ico', 'image/vnd.microsoft.icon', /PNG/],
            ['/apple-touch-icon.png', 'image/png', /PNG/],
          ] as const) {
            const reply = await client.request(path, { headers: { accept: 'text/html' } });
            assertCommon(reply, 200, type);
            assert.match(reply.body, pattern);
          }
          assertError(await client.request('/.well-known/security.txt'), 'not_found');
        });

        for (const { path, mediaType } of dialects.filter(({ path }) => !path.includes('{'))) {
          test(`returns ${path} in the shape of its service, with and without a slash or unknown parameters`, async () => {
            for (const target of [path, `${path}/`, `${path}?unknown=json`]) {
              const reply = await client.request(target);
              assertCommon(reply, 200, mediaType);
              assert.equal(reply.headers.location, undefined);
              if (/\/ip$|\/plain$|\/ipify$|\/all|\/dyndns$|\/trace$/.test(path))
                assert.ok(reply.body.includes(running.ip));
              if (mediaType.startsWith('application/json')) JSON.parse(reply.body);
            }
            const head = await client.request(path, { method: 'HEAD' });
            assert.deepEqual([head.status, head.body], [200, '']);
            assertError(await client.request(path, { method: 'POST' }), 'method_not_allowed');
          });
        }

        test('describes another public address in the shape of a service, if there is a database', async () => {
          for (const path of ['/as/ipinfo/8.8.8.8', '/as/ip-api/json/8.8.8.8', '/as/echoip/json?ip=8.8.8.8']) {
            const reply = await client.request(path);
            if (edge.isWorker) assertError(reply, 'no_database');
            else assert.match(reply.body, /"(?:ip|query)": ?"8\.8\.8\.8"/);
          }
          for (const [target, status, pattern] of [
            ['/as/ipinfo/10.1.2.3', 200, /"bogon": true/],
            ['/as/ipinfo/example.com/city', 404, /Wrong ip/],
            [
              '/as/ip-api/json/example.com',
              200,
              /^{"status":"fail","message":"invalid query","query":"example\.com"}$/,
            ],
            ['/as/echoip/city?ip=10.1.2.3', 400, /"error": "not a public IP: 10\.1\.2\.3"/],
          ] as const) {
            const reply = await client.request(target);
            assert.equal(reply.status, status, target);
            assert.match(reply.body, pattern);
          }
          for (const path of ['/as', '/as/httpbin'])
            assertCommon(await client.request(path), 200, 'text/plain; charset=utf-8');
          for (const path of ['/as/nope', '/as/ipinfo/8.8.8.8/nope'])
            assertError(await client.request(path), 'not_found');
          for (const path of ['/as/echoip/port/443', '/api/port?port=443', '/api/resolver?id=8f1d5c0b7a2e4936'])
            assertError(await client.request(path), 'not_enabled');
          const offered = JSON.parse((await client.request('/api/probes')).body);
          assert.deepEqual(offered, { dns: null, stun: null, portCheck: false });
        });

        test('ignores a trailing slash', async () => {
          const reply = await client.request('/ip/');
          assert.deepEqual([reply.status, reply.body, reply.headers.location], [200, `${running.ip}\n`, undefined]);
          assertCommon(await client.request('/json/'), 200, 'application/json');
        });

        test('returns an HTML error on unknown paths only if HTML is preferred', async () => {
          const reply = await client.request('/nope', { headers: { accept: 'text/html' } });
          assertCommon(reply, 404, 'text/html; charset=utf-8');
          assert.ok(reply.body.includes('Check the URL, or go to the start page.'));
          assertError(
            await client.request('/json', { method: 'POST', headers: { accept: 'text/html' } }),
            'method_not_allowed',
          );
        });

        test('reports protocol, method, address and location', async () => {
          const { ip, ipVersion, http, location, network, tls, meta } = await info(client);
          assert.equal(ip, running.ip);
          assert.equal(ipVersion, running.ip.includes(':') ? 6 : 4);
          assert.deepEqual([http.protocol, http.method], [client.protocol, 'GET']);
          assert.deepEqual([location.country, location.city], ['GB', 'London']);
          assert.deepEqual([location.countryName, location.continent], ['United Kingdom', 'EU']);
          assert.deepEqual([location.timezone, location.isEU], ['Europe/London', false]);
          assert.equal(network.clientQuicRttMs === null, http.protocol !== 'HTTP/3');
          assert.equal(client.secure, tls.version !== null);
          assert.equal(meta.simulated, false);
        });

        test('sets the fields that the documentation lists, and null for the others', async () => {
          if (!client.secure) return;
          const seen = await info(client, { 'accept-encoding': 'identity' });
          assertFields(edge.name, seen, seen.http.protocol);
          const opening = JSON.parse((await client.request('/fingerprint')).body);
          assertFields(edge.name, opening, opening.http.version, 'Field of `/fingerprint`');
        });

        test('links documentation and privacy pages that exist', async () => {
          const { meta } = await info(client);
          for (const address of [meta.docs, meta.privacy]) {
            const reply = await client.request(new URL(address).pathname, { headers: { accept: 'text/html' } });
            assertCommon(reply, 200, 'text/html; charset=utf-8');
          }
        });

        test('serves discovery files with their own URL', async () => {
          for (const [path, type] of [
            ['/openapi.json', 'application/json'],
            ['/llms.txt', 'text/plain; charset=utf-8'],
            ['/mcp/server-card', 'application/mcp-server-card+json'],
            ['/.well-known/mcp/server-card.json', 'application/json'],
          ] as const) {
            const reply = await client.request(path, { headers: { accept: 'text/html' } });
            assertCommon(reply, 200, type);
            const { meta } = await info(client);
            // Without a set URL, those of OpenAPI are relative to its own.
            const { externalDocs } = path === '/openapi.json' ? JSON.parse(reply.body) : {};
            if (externalDocs === undefined) assert.ok(reply.body.includes(meta.docs), path);
            else assert.equal(new URL(externalDocs.url, meta.docs).href, meta.docs);
          }
        });

        test("reports the client's headers", async () => {
          const headers = {
            'user-agent': 'Tést/1 ☃',
            'x-forwarded-for': '203.0.113.9',
            priority: 'u=1',
            'x-twice': ['a', 'b'],
          };
          const sent = { ...headers, 'user-agent': Buffer.from(headers['user-agent']).toString('latin1') };
          const seen = await info(client, client.name.startsWith('curl') ? headers : sent);
          assert.equal(seen.headers['user-agent'], headers['user-agent']);
          assert.equal(seen.userAgent.raw, headers['user-agent']);
          assert.equal(seen.headers['x-forwarded-for'], '203.0.113.9');
          assert.equal(seen.headers['x-twice'], 'a, b');
          assert.equal(seen.http.priority, 'u=1');
          assert.equal(seen.ip, running.ip);
          assert.ok(seen.headers.host);
          assert.equal(
            Object.keys(seen.headers).some((name) => name.startsWith(':')),
            false,
          );
        });

        test('requests Client Hints on secure connections, and merges them', async () => {
          const chrome =
            'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36';
          const hints = {
            'sec-ch-ua': '"Chromium";v="154", "Google Chrome";v="154", "Not)A;Brand";v="24"',
            'sec-ch-ua-full-version-list': '"Chromium";v="154.0.7912.51", "Google Chrome";v="154.0.7912.51"',
            'sec-ch-ua-platform': '"Windows"',
            'sec-ch-ua-platform-version': '"15.0.0"',
          };
          for (const path of ['/json', '/ua']) {
            const reply = await client.request(path, { headers: { 'user-agent': chrome, ...hints } });
            assert.equal(/Sec-CH-UA-Platform-Version/.test(reply.headers['accept-ch'] ?? ''), client.secure);
            const body = JSON.parse(reply.body);
            const { browser, os, kind, bot } = path === '/ua' ? body : body.userAgent;
            assert.deepEqual(
              [browser.name, browser.version, os.name, os.version],
              ['Chrome', '154.0.7912.51', 'Windows', '11'],
            );
            assert.deepEqual([kind, bot], ['browser', null]);
          }
        });

        test('returns only the header for /ua as text', async () => {
          const reply = await client.request('/ua?format=text', { headers: { 'user-agent': 'a  b' } });
          assert.equal(reply.body, 'a  b');
        });

        test('accepts 100 headers, and one named __proto__', async () => {
          const names = Array.from({ length: 100 }, (_, index) => `x-header-${index}`);
          const headers = Object.fromEntries([...names, '__proto__'].map((name) => [name, 'v']));
          const { headers: seen } = await info(client, headers);
          for (const name of names) assert.equal(seen[name], 'v');
          assert.equal(Object.getOwnPropertyDescriptor(seen, '__proto__')?.value, 'v');
        });

        test('responds to HEAD like GET, without the body', async () => {
          for (const path of ['/', '/ip', '/docs', '/json']) {
            const reply = await client.request(path, { method: 'HEAD' });
            const whole = await client.request(path);
            assert.equal(reply.body, '');
            assertCommon(reply, 200, whole.headers['content-type'] ?? '');
            // The body contains time and method, so only the order of magnitude is equal.
            assert.ok(Math.abs(Number(reply.headers['content-length']) - Buffer.byteLength(whole.body)) < 100);
          }
        });

        test('allows any header in a preflight', async () => {
          const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
          const reply = await client.request('/json', { method: 'OPTIONS', headers });
          assert.equal(reply.status, 204);
          assert.equal(reply.body, '');
          assert.equal(reply.headers['access-control-allow-origin'], '*');
          assert.equal(reply.headers['access-control-allow-methods'], 'GET, HEAD, OPTIONS');
          assert.match(reply.headers['access-control-allow-headers'] ?? '', /^\*/);
          assert.equal(reply.headers['access-control-allow-credentials'], undefined);
          assert.equal(reply.headers['cache-control'], 'no-store');
        });

        test('rejects other methods, and lists the allowed ones', async () => {
          for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND']) {
            if (client.changes?.includes(method)) continue;
            const reply = await client.request('/json', { method });
            assertError(reply, 'method_not_allowed');
            assert.equal(reply.headers.allow, 'GET, HEAD, OPTIONS');
          }
        });

        describe('/mcp', () => {
          const json = { 'content-type': 'application/json' };
          const version = statelessVersions[0];
          const meta = (name: string) => `io.modelcontextprotocol/${name}`;
          const envelope = {
            [meta('protocolVersion')]: version,
            [meta('clientInfo')]: { name: 'test', version: '1' },
            [meta('clientCapabilities')]: {},
          };
          const post = (body: string, more: RequestOptions = {}) =>
            client.request('/mcp', { method: 'POST', body, ...more, headers: { ...json, ...more.headers } });
          const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });

          test('runs the tools without lookups, in both protocol versions', async () => {
            for (const name of ['whoami', 'check_headers', 'parse_ua']) {
              const initialized = JSON.stringify(message('tools/call', { name, arguments: {} }));
              const selfContained = JSON.stringify(message('tools/call', { name, arguments: {}, _meta: envelope }));
              const headers = { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': name };
              for (const reply of [await post(initialized), await post(selfContained, { headers })]) {
                assertMcp(reply, 200);
                const { structuredContent } = JSON.parse(reply.body).result;
                const schema = tools.find((each) => each.name === name)?.outputSchema;
                assert.deepEqual(schema?.strict().parse(structuredContent), structuredContent);
                if (name === 'whoami') assert.equal(structuredContent.ip, running.ip);
              }
            }
          });

          test('accepts the largest body and rejects one more byte, with and without Content-Length', async () => {
            const ping = JSON.stringify(message('ping'));
            for (const declared of [true, false]) {
              const exact = await post(ping.padEnd(maxBodyBytes), { declared });
              assertMcp(exact, 200);
              assert.deepEqual(JSON.parse(exact.body).result, {});
              for (const bytes of [maxBodyBytes + 1, 20 * maxBodyBytes]) {
                const reply = await post(ping.padEnd(bytes), { declared });
                assertMcp(reply, 413);
                assert.equal(JSON.parse(reply.body).error.code, -32600);
              }
            }
          });

          test('accepts 10 messages, rejects 11', async () => {
            const ten = await post(JSON.stringify(Array(maxBatch).fill(message('ping'))));
            assertMcp(ten, 200);
            assert.equal(JSON.parse(ten.body).length, maxBatch);
            const eleven = await post(JSON.stringify(Array(maxBatch + 1).fill(message('ping'))));
            assertMcp(eleven, 400);
            assert.equal(JSON.parse(eleven.body).error.code, -32600);
          });

          test('rejects a large body of another type with a response that arrives', async () => {
            assertMcp(await post('a'.repeat(maxBodyBytes * 4), { headers: { 'content-type': 'text/plain' } }), 415);
          });

          test('responds to notifications without a body', async () => {
            const reply = await post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
            assert.deepEqual([reply.status, reply.body], [202, '']);
            assert.equal(reply.headers['cache-control'], 'no-store');
          });

          test('accepts only POST, from any origin', async () => {
            for (const method of ['GET', 'DELETE', 'PUT']) {
              const reply = await client.request('/mcp', { method, headers: { accept: 'text/event-stream' } });
              assertError(reply, 'method_not_allowed');
              assert.equal(reply.headers.allow, 'POST, OPTIONS');
            }
            const { status, headers } = await client.request('/mcp', {
              method: 'OPTIONS',
              headers: { origin: 'https://a.example' },
            });
            assert.deepEqual([status, headers['access-control-allow-origin']], [204, '*']);
            assert.equal(headers['access-control-allow-methods'], 'POST, GET, DELETE');
            assert.equal(headers['access-control-expose-headers'], 'Mcp-Session-Id');
          });
        });

        test('responds to an unknown path with not_found, for any method', async () => {
          for (const path of ['/nope', '/json//', '/JSON', '//', '/%00', '/..%2f', '/json%20']) {
            if (client.changes?.includes(path)) continue;
            const code = edge.malformedPaths?.includes(path) ? 'malformed_request' : 'not_found';
            assertError(await client.request(path), code);
          }
          assertError(await client.request('/nope', { method: 'POST' }), 'not_found');
        });
      });
  });

  describe(`${edge.name}, limits`, () => {
    test('rejects the request above the limit on every limited endpoint, and none on the others', async () => {
      const running = await startValidated(edge, { rateLimit: 2 });
      try {
        const [client] = running.clients;
        assert.ok(client);
        assert.equal((await client.request('/ip')).status, 200);
        const second = await client.request('/json?format=xml');
        assertError(second, 'invalid_format');
        // Cloudflare's counters do not report what is left.
        const { 'ratelimit-policy': policy, ratelimit = '' } = second.headers;
        assert.equal(policy, edge.isWorker ? undefined : '"general";q=2;w=60');
        assert.match(ratelimit, edge.isWorker ? /^$/ : /^"general";r=0;t=\d+$/);
        const requested = endpoints.filter(handlesGet);
        const replies = await Promise.all(requested.map((endpoint) => client.request(exampleOf(endpoint))));
        for (const [index, endpoint] of requested.entries()) {
          const reply = replies[index] as Reply;
          // Without a contact there is no security.txt.
          if (endpoint.rates.length === 0)
            assert.equal(reply.status, errorsOf(endpoint).includes('not_found') ? 404 : 200, endpoint.path);
          else {
            assertError(reply, 'rate_limited');
            assert.equal(reply.headers['retry-after'], '60');
            assert.match(reply.headers['access-control-expose-headers'] ?? '', /Retry-After/);
          }
        }
      } finally {
        await running.close();
      }
    });
  });
}

/** Starts an edge whose clients validate every response against the edge's own description. */
async function startValidated(
  edge: EdgeUnderTest,
  options: Parameters<EdgeUnderTest['start']>[0],
): Promise<RunningEdge> {
  const running = await edge.start(options);
  try {
    return { ...running, clients: await validateResponses(running.clients) };
  } catch (error) {
    await running.close();
    throw error;
  }
}

function findClient(running: RunningEdge, name: string): Client {
  const client = running.clients.find((each) => each.name === name);
  assert.ok(client, `the edge has no client "${name}"`);
  return client;
}

// biome-ignore lint/suspicious/noExplicitAny: a response has no type before a test has checked it
async function info(client: Client, headers: Record<string, string | string[]> = {}): Promise<any> {
  return JSON.parse((await client.request('/json', { headers })).body);
}

export function assertCommon(reply: Reply, status: number, type: string): void {
  assert.equal(reply.status, status, reply.body);
  assert.equal(reply.headers['content-type'], type);
  assert.equal(reply.headers['cache-control'], 'no-store');
  assert.equal(reply.headers['x-content-type-options'], 'nosniff');
  assert.equal(reply.headers['access-control-allow-origin'], '*');
  assert.equal(reply.headers['access-control-allow-credentials'], undefined);
}

function assertMcp(reply: Reply, status: number): void {
  assertCommon(reply, status, 'application/json');
  assert.equal(reply.headers['access-control-expose-headers'], 'Mcp-Session-Id');
}

export function assertError(reply: Reply, code: keyof typeof errors): void {
  assertCommon(reply, errors[code].status, 'application/json');
  const body = JSON.parse(reply.body);
  assert.deepEqual(Object.keys(body), ['error', 'message', 'docs']);
  assert.equal(body.error, code);
  // A lookup may return a more specific message than the table.
  assert.match(body.message, /^[A-Za-z].+\.$/);
  assert.match(body.docs, /^https?:\/\/[^/]+\/docs#errors$/);
}

function keysOf(text: string): string[] {
  return text.split('\n').map((line) => line.split(':')[0] ?? '');
}
