/** Load on a server: requests over keep-alive connections, or new TLS connections, at less CPU than any server takes. */
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { CannedResponse } from './server.ts';

export interface TestRequest {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as a POST; null for a GET. */
  readonly body: string | null;
}

export interface Load {
  /** Keeps every connection busy for this time; returns operations per second, and their number. */
  run(ms: number): Promise<{ readonly perSecond: number; readonly count: number }>;
  close(): void;
}

const connections = 32;
const handshakesAtOnce = 8;
const readBytes = 65_536;

/**
 * Keeps this process from sleeping. The slower a server is, the more often the load would wait for it, and the kernel
 * charges the server for waking the load.
 */
function spinWhile(running: () => boolean): void {
  if (running()) setImmediate(spinWhile, running);
}

/** Repeats the same request on each connection, the next one after each complete response. */
export async function requestLoad(request: TestRequest): Promise<Load> {
  const { host, port, path, headers, body } = request;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === null ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  const bytes = Buffer.from(
    `${body === null ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body ?? ''}`,
  );
  let running = false;
  let count = 0;
  let busy = 0;
  let idle = (): void => {};
  let fail = (error: Error): void => {
    throw error;
  };

  const open = (): Promise<Socket> =>
    new Promise((resolve, reject) => {
      let incomplete: Buffer | null = null;
      const receive = (length: number, buffer: Uint8Array): boolean => {
        const chunk = Buffer.from(buffer.buffer, buffer.byteOffset, length);
        const response: Buffer = incomplete === null ? chunk : Buffer.concat([incomplete, chunk]);
        const missing = missingBytesOf(response);
        if (missing > 0) incomplete = incomplete === null ? Buffer.from(response) : response;
        else if (missing < 0) fail(new Error(`${path}: unexpected response: ${response.toString('latin1', 0, 300)}`));
        else {
          incomplete = null;
          count += 1;
          if (running) socket.write(bytes);
          else {
            busy -= 1;
            if (busy === 0) idle();
          }
        }
        return true;
      };
      const socket = connect({
        host,
        port,
        noDelay: true,
        onread: { buffer: Buffer.alloc(readBytes), callback: receive },
      });
      socket.on('error', (error) => fail(error)).on('close', () => fail(new Error(`${path}: a connection was closed`)));
      socket.once('connect', () => resolve(socket)).once('error', reject);
    });

  const sockets = await Promise.all(Array.from({ length: connections }, open));
  return {
    run: (ms) =>
      new Promise((resolve, reject) => {
        fail = reject;
        count = 0;
        busy = sockets.length;
        running = true;
        const began = performance.now();
        idle = () => resolve({ count, perSecond: count / ((performance.now() - began) / 1000) });
        setTimeout(() => {
          running = false;
        }, ms);
        for (const socket of sockets) socket.write(bytes);
        spinWhile(() => running);
      }),
    close: () => {
      fail = () => {};
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Returns the missing bytes of a response with status 200; negative for another response or one that is too long. */
function missingBytesOf(response: Buffer): number {
  const headBytes = response.indexOf('\r\n\r\n') + 4;
  if (headBytes < 4) return response.length < readBytes ? 1 : -1;
  const head = response.toString('latin1', 0, headBytes);
  const bodyBytes = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
  if (!head.startsWith('HTTP/1.1 200 ') || bodyBytes === undefined) return -1;
  return headBytes + Number(bodyBytes) - response.length;
}

/** Opens TLS connections without resumption and requests, each closed after the handshake. */
export function handshakeLoad(host: string, port: number): Load {
  const handshake = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const options = {
        host,
        port,
        rejectUnauthorized: false,
        ALPNProtocols: ['http/1.1'],
        minVersion: 'TLSv1.3',
      } as const;
      const socket = connectTls(options, () => {
        if (socket.isSessionReused() || socket.alpnProtocol !== 'http/1.1')
          reject(new Error('the handshake was resumed or did not negotiate HTTP/1.1'));
        socket.destroy();
      });
      socket.once('error', reject).once('close', () => resolve());
    });
  return {
    run: async (ms) => {
      let count = 0;
      const began = performance.now();
      let running = true;
      spinWhile(() => running);
      const worker = async (): Promise<void> => {
        while (performance.now() - began < ms) {
          await handshake();
          count += 1;
        }
      };
      await Promise.all(Array.from({ length: handshakesAtOnce }, worker));
      running = false;
      return { count, perSecond: count / ((performance.now() - began) / 1000) };
    },
    close: () => {},
  };
}

/** Returns the response to one request, without the headers that every Node server adds. */
export function responseTo({
  host,
  port,
  path,
  headers,
}: Omit<TestRequest, 'body'>): Promise<Omit<CannedResponse, 'serialized'> & { readonly status: number }> {
  const own = ['date', 'connection', 'keep-alive'];
  return new Promise((resolve, reject) => {
    get({ host, port, path, headers, setHost: false, agent: false }, async (incoming) => {
      const chunks = await incoming.toArray();
      const rawHeaders = incoming.rawHeaders.filter(
        (_, at, all) => !own.includes((all[at - (at % 2)] ?? '').toLowerCase()),
      );
      resolve({ status: incoming.statusCode ?? 0, rawHeaders, body: Buffer.concat(chunks).toString() });
    }).on('error', reject);
  });
}
