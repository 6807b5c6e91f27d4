/** Responses never reach another request: 5,000 tagged requests over every transport, many of them aborted. */
import assert from 'node:assert/strict';
import { request as requestHttp } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { networks } from '../../src/core/address.ts';
import type { Service } from '../../src/runtime/serve.ts';
import { startNode } from '../node-service.ts';
import { closed } from '../sockets.ts';

/** Ten transports with this many requests each; every fourth is aborted, each of them at another time. */
const perTransport = 500;
const concurrent = 20;
const abortMsOf = (tag: number): number => ((tag * 7) % 40) / 10;

let service: Service;
let proxied: Service;
let behindTcpProxy: Service;
before(async () => {
  const settings = { host: '127.0.0.1', rateLimitTools: 0, maxConnectionsPerAddress: 0 };
  const trustProxy = networks.loopback ?? [];
  [service, proxied, behindTcpProxy] = await Promise.all([
    startNode(settings),
    startNode({ ...settings, trustProxy }),
    startNode({ ...settings, trustProxy, proxyProtocol: true }),
  ]);
});
after(() => Promise.all([service, proxied, behindTcpProxy].map((each) => each.close())));

/** Sends one request with its tag and returns the body, or null after the abort. */
type Send = (tag: number, abortMs: number | null) => Promise<string | null>;

const headersOf = (tag: number) => ({ 'x-tag': `tag-${tag}.`, 'user-agent': `Tag/${tag}.` });

function overHttp1(origin: string, extra: Record<string, string> = {}): Send {
  const send = origin.startsWith('https:') ? requestHttps : requestHttp;
  return (tag, abortMs) =>
    new Promise((resolve, reject) => {
      const headers = { ...headersOf(tag), ...extra };
      const request = send(`${origin}/headers?tag=${tag}`, { headers, rejectUnauthorized: false }, async (response) => {
        const chunks = await response.toArray().catch(() => null);
        resolve(chunks && Buffer.concat(chunks).toString());
      });
      request.once('error', (error) => (abortMs === null ? reject(error) : resolve(null))).end();
      if (abortMs !== null) setTimeout(() => request.destroy(), abortMs);
    });
}

function overHttp2(
  sessionOf: (tag: number) => ClientHttp2Session,
  path: string,
  post: ((tag: number) => object) | null,
): Send {
  return async (tag, abortMs) => {
    const type = post === null ? { accept: 'text/html' } : { ':method': 'POST', 'content-type': 'application/json' };
    const stream = sessionOf(tag).request({ ':path': path, ...headersOf(tag), ...type });
    stream.on('error', () => {});
    if (post !== null) stream.end(JSON.stringify(post(tag)));
    if (abortMs !== null) setTimeout(() => stream.close(8), abortMs);
    const chunks = await stream.toArray().catch(() => null);
    const body = chunks && Buffer.concat(chunks).toString();
    return body === '' ? null : body;
  };
}

const callOf = (tag: number, id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'parse_ua', arguments: { user_agent: `Tag/${tag}.` } },
});

/** Runs a transport's requests, some concurrently, and checks that each body contains its own tag and no other. */
async function check(send: Send): Promise<void> {
  let next = 0;
  let complete = 0;
  const worker = async (): Promise<void> => {
    while (next < perTransport) {
      const tag = next++;
      const body = await send(tag, tag % 4 === 3 ? abortMsOf(tag) : null);
      if (body === null) {
        assert.equal(tag % 4, 3, `tag ${tag} has no response`);
        continue;
      }
      const tags = new Set([...body.matchAll(/[Tt]ag[-/](\d+)\./g)].map(([, found]) => Number(found)));
      // An aborted response may end before its tag.
      if (tag % 4 === 3 && tags.size === 0) continue;
      assert.deepEqual(tags, new Set([tag]));
      complete += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrent }, worker));
  assert.ok(complete >= perTransport * 0.75, `${complete}`);
}

describe(`${perTransport} requests each, with their own tags in the responses`, () => {
  test('over HTTP/1.1', () => check(overHttp1(`${service.http}`)));
  test('over HTTP/1.1 and TLS', () => check(overHttp1(`${service.https}`)));
  test('through a trusted proxy', () => check(overHttp1(`${proxied.http}`, { 'x-forwarded-for': '192.0.2.1' })));

  test('pipelined, in order', async () => {
    const { hostname, port } = new URL(`${service.http}`);
    for (let from = 0; from < perTransport; from += 50) {
      const socket = connect(Number(port), hostname);
      const aborted = (from / 50) % 4 === 3;
      const requests = Array.from({ length: 50 }, (_, at) => {
        const last = at === 49 ? 'Connection: close\r\n' : '';
        return `GET /ua?format=text HTTP/1.1\r\nHost: a\r\nUser-Agent: Tag/${from + at}.\r\n${last}\r\n`;
      });
      socket.on('error', () => {}).write(requests.join(''));
      if (aborted) setTimeout(() => socket.destroy(), abortMsOf(from));
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      await closed(socket);
      const tags = [
        ...Buffer.concat(chunks)
          .toString()
          .matchAll(/\r\n\r\nTag\/(\d+)\./g),
      ].map(([, tag]) => Number(tag));
      const expected = Array.from({ length: 50 }, (_, at) => from + at);
      assert.deepEqual(tags, aborted ? expected.slice(0, tags.length) : expected);
    }
  });

  test('after a PROXY header', () => {
    const { hostname, port } = new URL(`${behindTcpProxy.http}`);
    return check(async (tag, abortMs) => {
      const socket = connect(Number(port), hostname);
      const head = `PROXY TCP4 192.0.2.${tag % 250} 127.0.0.1 1 2\r\nGET /headers HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`;
      socket.on('error', () => {}).write(`${head}X-Tag: tag-${tag}.\r\n\r\n`);
      if (abortMs !== null) setTimeout(() => socket.destroy(), abortMs);
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      await closed(socket);
      return abortMs !== null && chunks.length === 0 ? null : Buffer.concat(chunks).toString();
    });
  });

  for (const [name, originOf, path, post] of [
    ['over HTTP/2', () => service.https, '/headers', null],
    ['over HTTP/2, as User-Agents', () => service.https, '/ua', null],
    ['as tool calls', () => service.https, '/mcp', (tag: number) => callOf(tag, 1)],
    ['as batches of tool calls', () => service.https, '/mcp', (tag: number) => [1, 1, 2].map((id) => callOf(tag, id))],
    ['as web pages', () => service.https, '/', null],
  ] as const)
    test(name, async () => {
      // The HTTP/2 library ends a session with many aborted streams.
      const sessions: ClientHttp2Session[] = [];
      const sessionOf = (tag: number): ClientHttp2Session => {
        const at = Math.floor(tag / 50);
        sessions[at] ??= connectHttp2(`${originOf()}`, { rejectUnauthorized: false });
        return sessions[at];
      };
      await check(overHttp2(sessionOf, path, post));
      for (const session of sessions) session.destroy();
    });
});
