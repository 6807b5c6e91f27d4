/** The acceptance suite: what every edge has to answer, over every client it can be called with. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { errors } from '../../src/core/errors.ts';
import { prints } from '../../src/http/endpoint.ts';
import { endpoints } from '../../src/http/endpoints.ts';
import { maxBatch, maxBodyBytes } from '../../src/mcp/server.ts';
import { selfContainedVersions } from '../../src/mcp/server-info.ts';
import { tools } from '../../src/mcp/tools.ts';
import type { Ask, Client, Reply } from './client.ts';
import { described } from './described.ts';
import { assertFields } from './fields.ts';

/** A running edge, as the suite needs it. */
export interface RunningEdge {
  readonly clients: readonly Client[];
  /** The address under which the edge sees these clients. */
  readonly ip: string;
  close(): Promise<void>;
}

export interface EdgeUnderTest {
  readonly name: string;
  /** Starts an edge with these settings; `rateLimit` 0 is none. It locates its clients in London, GB. */
  start(options: { readonly rateLimit: number }): Promise<RunningEdge>;
  /** Names of the clients, known before the start. */
  readonly clientNames: readonly string[];
  /** Paths that a proxy before the edge refuses as malformed. */
  readonly malformedPaths?: readonly string[];
  /** Whether it simulates what it cannot see, TLS included. */
  readonly simulated?: boolean;
}

const resources = endpoints.filter(({ schema, parameter }) => schema !== null && parameter === null);

export function acceptance(edge: EdgeUnderTest): void {
  for (const clientName of edge.clientNames) {
    describe(`${edge.name}, ${clientName}`, () => {
      let running: RunningEdge;
      let client: Client;
      before(async () => {
        running = await started(edge, { rateLimit: 0 });
        client = clientNamed(running, clientName);
      });
      after(() => running.close());

      test('answers the address as text, with a newline', async () => {
        for (const path of ['/', '/ip']) {
          const reply = await client.ask(path);
          assertCommon(reply, 200, 'text/plain; charset=utf-8');
          assert.equal(reply.body, `${running.ip}\n`);
        }
      });

      test('answers /ip as text whatever Accept says', async () => {
        const reply = await client.ask('/ip?format=json', { headers: { accept: 'text/html, application/json' } });
        assert.equal(reply.body, `${running.ip}\n`);
        assert.equal(reply.headers.vary, undefined);
      });

      test('answers / as a page where HTML is asked for', async () => {
        const reply = await client.ask('/', { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
        assertCommon(reply, 200, 'text/html; charset=utf-8');
        // An edge that compresses adds what that depends on.
        assert.match(`${reply.headers.vary}`, /^Accept(?:, Accept-Encoding)?$/);
        assert.ok(reply.body.includes(running.ip));
      });

      for (const { path, parameter } of endpoints) {
        if (parameter === null) continue;
        test(`refuses ${path} without one ${parameter.name}, whatever Accept says`, async () => {
          for (const query of ['', `?${parameter.name}=`, `?${parameter.name}=a&${parameter.name}=b`, '?other=1'])
            assertError(await client.ask(path + query, { headers: { accept: 'text/plain' } }), parameter.error);
        });

        test(`refuses ${path} to services like itself`, async () => {
          const headers = { 'user-agent': 'Seenby/1.0 (+https://another.example/docs)' };
          const reply = await client.ask(`${path}?${parameter.name}=${parameter.example}`, { headers });
          assertError(reply, 'invalid_target');
        });
      }

      for (const { path, schema } of resources) {
        test(`answers ${path} as JSON of its schema, with every field`, async () => {
          const reply = await client.ask(path);
          assertCommon(reply, 200, 'application/json');
          assert.equal(reply.headers.vary, 'Accept');
          const body = JSON.parse(reply.body);
          assert.deepEqual(schema?.strict().parse(body), body);
        });

        test(`answers ${path} as text by parameter and by Accept`, async () => {
          const byParameter = await client.ask(`${path}?format=text`, { headers: { accept: 'application/json' } });
          const byAccept = await client.ask(path, { headers: { accept: 'text/plain' } });
          for (const reply of [byParameter, byAccept]) assertCommon(reply, 200, 'text/plain; charset=utf-8');
          assert.deepEqual(keysOf(byParameter.body), keysOf(byAccept.body));
          const json = await client.ask(`${path}?format=json`, { headers: { accept: 'text/plain' } });
          assertCommon(json, 200, 'application/json');
        });

        test(`refuses formats that ${path} does not have`, async () => {
          for (const query of ['format=xml', 'format=', 'format', 'format=JSON', 'format=json&format=text']) {
            assertError(await client.ask(`${path}?${query}`), 'invalid_format');
          }
        });
      }

      test('sees protocol, method, address and location', async () => {
        const { ip, ipVersion, http, location, network, tls, meta } = await info(client);
        assert.equal(ip, running.ip);
        assert.equal(ipVersion, running.ip.includes(':') ? 6 : 4);
        assert.deepEqual([http.protocol, http.method], [client.protocol, 'GET']);
        assert.deepEqual([location.country, location.city], ['GB', 'London']);
        assert.deepEqual([location.countryName, location.continent], ['United Kingdom', 'EU']);
        assert.deepEqual([location.timezone, location.isEU], ['Europe/London', false]);
        assert.equal(network.clientQuicRttMs, null);
        assert.equal(client.secure || edge.simulated === true, tls.version !== null);
        assert.equal(meta.simulated, edge.simulated === true);
      });

      test('fills the fields that the architecture page says, and null stands for the others', async () => {
        if (client.secure) assertFields(edge.name, await info(client, { 'accept-encoding': 'identity' }));
      });

      test('names documentation and privacy pages that exist', async () => {
        const { meta } = await info(client);
        for (const address of [meta.docs, meta.privacy]) {
          const reply = await client.ask(new URL(address).pathname, { headers: { accept: 'text/html' } });
          assertCommon(reply, 200, 'text/html; charset=utf-8');
        }
      });

      test('has discovery files that say where they are', async () => {
        for (const [path, type] of [
          ['/openapi.json', 'application/json'],
          ['/llms.txt', 'text/plain; charset=utf-8'],
          ['/mcp/server-card', 'application/mcp-server-card+json'],
          ['/.well-known/mcp/server-card.json', 'application/json'],
        ] as const) {
          const reply = await client.ask(path, { headers: { accept: 'text/html' } });
          assertCommon(reply, 200, type);
          const { meta } = await info(client);
          assert.ok(reply.body.includes(meta.docs), path);
        }
      });

      test('shows the headers the client sent', async () => {
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

      test('asks for Client Hints on secure connections, and merges those that come', async () => {
        const chrome =
          'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36';
        const hints = {
          'sec-ch-ua': '"Chromium";v="154", "Google Chrome";v="154", "Not)A;Brand";v="24"',
          'sec-ch-ua-full-version-list': '"Chromium";v="154.0.7912.51", "Google Chrome";v="154.0.7912.51"',
          'sec-ch-ua-platform': '"Windows"',
          'sec-ch-ua-platform-version': '"15.0.0"',
        };
        for (const path of ['/json', '/ua']) {
          const reply = await client.ask(path, { headers: { 'user-agent': chrome, ...hints } });
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

      test('answers /ua as text with the header alone', async () => {
        const reply = await client.ask('/ua?format=text', { headers: { 'user-agent': 'a  b' } });
        assert.equal(reply.body, 'a  b');
      });

      test('takes 100 headers, and one called __proto__', async () => {
        const names = Array.from({ length: 100 }, (_, index) => `x-header-${index}`);
        const headers = Object.fromEntries([...names, '__proto__'].map((name) => [name, 'v']));
        const { headers: seen } = await info(client, headers);
        for (const name of names) assert.equal(seen[name], 'v');
        assert.equal(Object.getOwnPropertyDescriptor(seen, '__proto__')?.value, 'v');
      });

      test('answers HEAD as GET without the body', async () => {
        for (const path of ['/', '/ip', '/docs', '/json']) {
          const reply = await client.ask(path, { method: 'HEAD' });
          const whole = await client.ask(path);
          assert.equal(reply.body, '');
          assertCommon(reply, 200, whole.headers['content-type'] ?? '');
          // The time is in the body, the method too: only the order of magnitude is the same.
          assert.ok(Math.abs(Number(reply.headers['content-length']) - Buffer.byteLength(whole.body)) < 100);
        }
      });

      test('answers a preflight for any header', async () => {
        const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
        const reply = await client.ask('/json', { method: 'OPTIONS', headers });
        assert.equal(reply.status, 204);
        assert.equal(reply.body, '');
        assert.equal(reply.headers['access-control-allow-origin'], '*');
        assert.equal(reply.headers['access-control-allow-methods'], 'GET, HEAD, OPTIONS');
        assert.match(reply.headers['access-control-allow-headers'] ?? '', /^\*/);
        assert.equal(reply.headers['access-control-allow-credentials'], undefined);
        assert.equal(reply.headers['cache-control'], 'no-store');
      });

      test('refuses other methods, and names those it takes', async () => {
        for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND']) {
          const reply = await client.ask('/json', { method });
          assertError(reply, 'method_not_allowed');
          assert.equal(reply.headers.allow, 'GET, HEAD, OPTIONS');
        }
      });

      describe('/mcp', () => {
        const json = { 'content-type': 'application/json' };
        const version = selfContainedVersions[0];
        const meta = (name: string) => `io.modelcontextprotocol/${name}`;
        const envelope = {
          [meta('protocolVersion')]: version,
          [meta('clientInfo')]: { name: 'test', version: '1' },
          [meta('clientCapabilities')]: {},
        };
        const post = (body: string, more: Ask = {}) =>
          client.ask('/mcp', { method: 'POST', body, ...more, headers: { ...json, ...more.headers } });
        const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });

        test('answers the tools that ask nobody, in both eras', async () => {
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

        test('takes 65,536 bytes and refuses one more, with and without Content-Length', async () => {
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

        test('takes ten messages and refuses eleven', async () => {
          const ten = await post(JSON.stringify(Array(maxBatch).fill(message('ping'))));
          assertMcp(ten, 200);
          assert.equal(JSON.parse(ten.body).length, maxBatch);
          const eleven = await post(JSON.stringify(Array(maxBatch + 1).fill(message('ping'))));
          assertMcp(eleven, 400);
          assert.equal(JSON.parse(eleven.body).error.code, -32600);
        });

        test('refuses a large body of another type so that the caller sees why', async () => {
          assertMcp(await post('a'.repeat(maxBodyBytes * 4), { headers: { 'content-type': 'text/plain' } }), 415);
        });

        test('answers notifications with nothing', async () => {
          const reply = await post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
          assert.deepEqual([reply.status, reply.body], [202, '']);
          assert.equal(reply.headers['cache-control'], 'no-store');
        });

        test('takes POST alone, from any origin', async () => {
          for (const method of ['GET', 'DELETE', 'PUT']) {
            const reply = await client.ask('/mcp', { method, headers: { accept: 'text/event-stream' } });
            assertError(reply, 'method_not_allowed');
            assert.equal(reply.headers.allow, 'POST, OPTIONS');
          }
          const { status, headers } = await client.ask('/mcp', {
            method: 'OPTIONS',
            headers: { origin: 'https://a.example' },
          });
          assert.deepEqual([status, headers['access-control-allow-origin']], [204, '*']);
          assert.equal(headers['access-control-allow-methods'], 'POST, GET, DELETE');
          assert.equal(headers['access-control-expose-headers'], 'Mcp-Session-Id');
        });
      });

      test('answers an unknown path with not_found, whatever the method', async () => {
        for (const path of ['/nope', '/json/', '/JSON', '//', '/%00', '/..%2f', '/json%20']) {
          const code = edge.malformedPaths?.includes(path) ? 'malformed_request' : 'not_found';
          assertError(await client.ask(path), code);
        }
        assertError(await client.ask('/nope', { method: 'POST' }), 'not_found');
      });
    });
  }

  describe(`${edge.name}, limits`, () => {
    test('refuses the call above the limit, on every limited endpoint, and none of the others', async () => {
      const running = await started(edge, { rateLimit: 2 });
      try {
        const [client] = running.clients;
        assert.ok(client);
        assert.equal((await client.ask('/ip')).status, 200);
        assertError(await client.ask('/json?format=xml'), 'invalid_format');
        for (const { path, rates } of endpoints.filter(prints)) {
          const reply = await client.ask(path);
          if (rates.length === 0) assert.equal(reply.status, 200);
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

/** Starts an edge whose clients hold every answer against the description that the edge gives of itself. */
async function started(edge: EdgeUnderTest, options: Parameters<EdgeUnderTest['start']>[0]): Promise<RunningEdge> {
  const running = await edge.start(options);
  try {
    return { ...running, clients: await described(running.clients) };
  } catch (error) {
    await running.close();
    throw error;
  }
}

function clientNamed(running: RunningEdge, name: string): Client {
  const client = running.clients.find((each) => each.name === name);
  assert.ok(client, `the edge has no client "${name}"`);
  return client;
}

// biome-ignore lint/suspicious/noExplicitAny: an answer is of no type before a test has looked at it
async function info(client: Client, headers: Record<string, string | string[]> = {}): Promise<any> {
  return JSON.parse((await client.ask('/json', { headers })).body);
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
  // A lookup may say more than the table can.
  assert.match(body.message, /^[A-Za-z].+\.$/);
  assert.match(body.docs, /^https?:\/\/[^/]+\/docs#errors$/);
}

function keysOf(text: string): string[] {
  return text.split('\n').map((line) => line.split(':')[0] ?? '');
}
