/** On a loopback address the MCP server accepts only names of this machine, so that DNS rebinding fails. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect } from 'node:http2';
import { after, before, test } from 'node:test';
import type { Service } from '../../src/runtime/serve.ts';
import { startNode } from '../node-service.ts';

let service: Service;
before(async () => {
  service = await startNode();
});
after(() => service.close());

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const portOf = (url: string | null): string => new URL(url ?? '').port;

function overHttp1(host: string): Promise<number> {
  const headers = { host, 'content-type': 'application/json' };
  const options = { host: '127.0.0.1', port: portOf(service.http), path: '/mcp', method: 'POST', headers };
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => resolve(response.resume().statusCode ?? 0));
    sent.once('error', reject).end(ping);
  });
}

function overHttp2(host: string): Promise<number> {
  const session = connect(`https://127.0.0.1:${portOf(service.https)}`, { rejectUnauthorized: false });
  const headers = { ':method': 'POST', ':path': '/mcp', ':authority': host, 'content-type': 'application/json' };
  return new Promise<number>((resolve, reject) => {
    const stream = session.request(headers);
    stream.once('response', ({ ':status': status }) => resolve(status ?? 0)).once('error', reject);
    stream.end(ping);
  }).finally(() => session.close());
}

for (const [protocol, send] of [
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
] as const)
  test(`rejects a foreign host name over ${protocol}`, async () => {
    for (const host of ['evil.example', 'localhost.evil.example', '10.0.0.5', 'host.docker.internal.evil.example'])
      assert.equal(await send(host), 403, host);
    for (const host of ['localhost', '127.0.0.1:80', '127.0.0.2', '[::1]', 'host.docker.internal:8080'])
      assert.equal(await send(host), 200, host);
  });
