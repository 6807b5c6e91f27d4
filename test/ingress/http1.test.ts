/** The gate of HTTP/1 connections, with and without Node's undocumented way to read into a given buffer. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { bounds } from '../../src/edges/node/limits/bounds.ts';
import { type Connection, openConnection } from '../../src/ingress/connection.ts';
import { Http1Gate } from '../../src/ingress/http1.ts';
import { createTurnQueue } from '../../src/ingress/scheduler.ts';

interface Gated {
  readonly client: Socket;
  /** The service's end of the connection. */
  readonly socket: Socket;
  readonly connection: Connection;
}

/** Opens a connection to a server whose requests pass the gate. */
async function openGated(context: TestContext, hasUserBuffer: boolean, respond: RequestListener): Promise<Gated> {
  const queue = createTurnQueue(bounds);
  const connections = new WeakMap<Socket, Connection>();
  const server = createServer((request, response) => {
    connections.get(request.socket)?.http1Gate?.begin(response);
    respond(request, response);
  });
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  server.on('connection', (socket: Socket & { _handle?: { useUserBuffer?: unknown } }) => {
    if (!hasUserBuffer && socket._handle) socket._handle.useUserBuffer = undefined;
    const connection = openConnection(
      socket,
      { ip: '127.0.0.1', port: 0 },
      { trusted: false, relayed: false },
      () => '',
    );
    connection.http1Gate = new Http1Gate(connection, socket, queue, bounds);
    connections.set(socket, connection);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  const [socket] = await accepted;
  context.after(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
  const connection = connections.get(socket);
  assert.ok(connection !== undefined);
  return { client, socket, connection };
}

for (const hasUserBuffer of [true, false])
  describe(`a gate that reads ${hasUserBuffer ? 'into its own buffer' : "the socket's data events"}`, () => {
    test('passes on pipelined requests and bodies in order', async (context) => {
      const bytesOf = new Map<string, number>();
      const { client } = await openGated(context, hasUserBuffer, async (request, response) => {
        const path = request.url ?? '';
        bytesOf.set(path, 0);
        for await (const chunk of request) bytesOf.set(path, (bytesOf.get(path) ?? 0) + (chunk as Buffer).length);
        response.end();
      });
      const body = 'x'.repeat(40_000);
      const requests = Array.from({ length: 300 }, (_, at) =>
        at % 100 === 50
          ? `POST /${at} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
          : `GET /${at} HTTP/1.1\r\nHost: a\r\n\r\n`,
      );
      client.write(requests.join(''));
      let received = '';
      while (received.split('HTTP/1.1 200').length <= requests.length) received += `${await once(client, 'data')}`;
      assert.deepEqual(
        [...bytesOf],
        requests.map((_, at) => [`/${at}`, at % 100 === 50 ? body.length : 0]),
      );
    });

    test('keeps nothing of a request after its response', async (context) => {
      const { client, connection } = await openGated(context, hasUserBuffer, (_, response) => {
        assert.equal(connection.latest, response);
        response.end();
      });
      client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      await once(client, 'data');
      assert.equal(connection.latest, null);
    });

    test('keeps a response that ends before the body of its request', async (context) => {
      const { client, connection } = await openGated(context, hasUserBuffer, (_, response) => response.end());
      client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n');
      await once(client, 'data');
      assert.equal(connection.latest?.req.complete, false);
    });

    test('passes on only as many requests as may be in flight', async (context) => {
      let started = 0;
      const last = Promise.withResolvers<void>();
      const { client } = await openGated(context, hasUserBuffer, () => {
        started += 1;
        if (started === bounds.maxRequestsInFlight) last.resolve();
      });
      client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(bounds.maxRequestsInFlight + 100));
      await last.promise;
      await delay(100);
      assert.equal(started, bounds.maxRequestsInFlight);
    });

    test('stops reading while it has no turn for more requests', async (context) => {
      const { client, socket } = await openGated(context, hasUserBuffer, () => {});
      client.write(Buffer.alloc(20_000_000, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
      // The kernel accepts some megabytes; the rest waits in the client.
      let before = -1;
      while (socket.bytesRead === 0 || socket.bytesRead !== before) {
        before = socket.bytesRead;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      assert.ok(socket.bytesRead < 1_000_000, `${socket.bytesRead} bytes read`);
      assert.ok(client.writableLength > 0);
    });
  });
