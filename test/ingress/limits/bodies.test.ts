/** Slow, truncated and too large request bodies on the Node edge get a response and do not block. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { after, before, describe, test } from 'node:test';
import type { Service } from '../../../src/runtime/serve.ts';
import { http1Client, parseReply, type Reply } from '../../acceptance/client.ts';
import { assertError } from '../../acceptance/suite.ts';
import { startNode } from '../../node-service.ts';
import { rawClient } from '../raw-client.ts';

const shortBounds = {
  bodyTimeoutMs: 300,
  discardTimeoutMs: 300,
  maxDiscardedBytes: 200_000,
  maxBodyBytes: 65_536,
  headersTimeoutMs: 1000,
  requestTimeoutMs: 1000,
  timeoutCheckMs: 50,
};

let service: Service;
let http: string;
let https: string;
before(async () => {
  service = await startNode({ host: '127.0.0.1' }, shortBounds);
  http = service.http ?? '';
  https = service.https ?? '';
});
after(() => service.close());

const head = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

type Socket = ReturnType<typeof rawClient>['socket'];

/** Returns the received bytes once the first response is complete. */
async function firstAnswer(socket: Socket): Promise<Reply> {
  let received = '';
  const { promise, resolve } = Promise.withResolvers<Reply>();
  // A listener for all pieces: two of them may come before a promise of the first is noticed.
  socket.on('data', (piece: Buffer) => {
    received += piece;
    if (/\}\s*$/.test(received)) resolve(parseReply(received));
  });
  return promise;
}

/** Returns false once the socket accepts no more data for a while. */
async function drained(socket: Socket): Promise<boolean> {
  try {
    await once(socket, 'drain', { signal: AbortSignal.timeout(200) });
    return true;
  } catch {
    return false;
  }
}

describe('a body', () => {
  test('times out if it does not arrive, over both HTTP versions', async () => {
    for (const framing of ['Content-Length: 100\r\n\r\n{', 'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n']) {
      const { socket } = rawClient(http, head + framing);
      assertError(await firstAnswer(socket), 'request_timeout');
      socket.destroy();
    }
    const session = connectHttp2(https, { rejectUnauthorized: false });
    const stream = session.request(
      { ':path': '/mcp', ':method': 'POST', 'content-type': 'application/json' },
      { endStream: false },
    );
    stream.write('{');
    const [fields] = await once(stream, 'response');
    assert.equal(fields[':status'], 408);
    session.destroy();
  });

  test('is rejected by a Content-Length that is too large, before it arrives', async () => {
    const { socket } = rawClient(http, `${head}Content-Length: 1000000\r\n\r\n`);
    assert.equal((await firstAnswer(socket)).status, 413);
    socket.destroy();
  });

  test('without end is rejected and no longer read', async () => {
    const { socket, closed } = rawClient(http, `${head}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    const reply = firstAnswer(socket);
    let sent = 0;
    // A socket without a reader stops accepting data.
    while (socket.write(chunk) || (await drained(socket))) sent += chunk.length;
    assert.equal((await reply).status, 413);
    assert.ok(sent < 50_000_000, `${sent}`);
    await closed;
  });

  test('that is too large leaves the connection usable', async () => {
    const { socket, closed } = rawClient(
      http,
      `${head}Content-Length: 100000\r\n\r\n${' '.repeat(100_000)}${head}Connection: close\r\nContent-Length: ${ping.length}\r\n\r\n${ping}`,
    );
    const replies = (await closed).split(/(?=HTTP\/1\.1 )/);
    assert.deepEqual(
      replies.map((reply) => parseReply(reply).status),
      [413, 200],
    );
    socket.destroy();
  });

  test('of the same client that has been arriving for longer is rejected if all bodies take too much memory', async () => {
    const large = ' '.repeat(40_000);
    const request = `${head}Content-Length: ${large.length + ping.length}\r\n\r\n${large}`;
    const held = rawClient(http, request);
    await once(held.socket, 'connect');
    const rejected = firstAnswer(held.socket);
    const accepted = rawClient(http, request + ping);
    assert.equal((await firstAnswer(accepted.socket)).status, 200);
    assertError(await rejected, 'overloaded');
    for (const { socket } of [held, accepted]) socket.destroy();
  });

  test('may break off without an error', async () => {
    for (let each = 0; each < 5; each += 1) {
      const { socket, closed } = rawClient(http, `${head}Content-Length: 100\r\n\r\n{`);
      await once(socket, 'connect');
      socket.resetAndDestroy();
      await closed;
    }
    assert.equal((await http1Client(http).request('/ip')).status, 200);
  });
});
