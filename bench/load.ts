/** Load on a server: requests over connections kept alive, or new TLS connections; cheaper than any server that answers. */
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { CannedAnswer } from './server.ts';

export interface Call {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as a POST; null for a GET. */
  readonly body: string | null;
}

export interface Load {
  /** Keeps every connection busy for so long; gives the operations done each second, and how many they were. */
  run(ms: number): Promise<{ readonly perSecond: number; readonly count: number }>;
  close(): void;
}

const connections = 32;
const handshakesAtOnce = 8;
const readBytes = 65_536;

/**
 * Keeps this process from sleeping: the slower a server, the oftener the load would wait for it, and waking the load is work
 * that the system charges to the server.
 */
function spinWhile(running: () => boolean): void {
  if (running()) setImmediate(spinWhile, running);
}

/** Sends the same request again and again over each of its connections, the next when an answer is complete. */
export async function requestLoad(call: Call): Promise<Load> {
  const { host, port, path, headers, body } = call;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === null ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  const request = Buffer.from(
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
      let held: Buffer | null = null;
      const receive = (bytes: number, buffer: Uint8Array): boolean => {
        const chunk = Buffer.from(buffer.buffer, buffer.byteOffset, bytes);
        const answer: Buffer = held === null ? chunk : Buffer.concat([held, chunk]);
        const missing = missingBytes(answer);
        if (missing > 0) held = held === null ? Buffer.from(answer) : answer;
        else if (missing < 0) fail(new Error(`${path}: not the answer expected: ${answer.toString('latin1', 0, 300)}`));
        else {
          held = null;
          count += 1;
          if (running) socket.write(request);
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
        for (const socket of sockets) socket.write(request);
        spinWhile(() => running);
      }),
    close: () => {
      fail = () => {};
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** How much of an answer with status 200 is still to come; negative where it is no such answer, or too long. */
function missingBytes(answer: Buffer): number {
  const headBytes = answer.indexOf('\r\n\r\n') + 4;
  if (headBytes < 4) return answer.length < readBytes ? 1 : -1;
  const head = answer.toString('latin1', 0, headBytes);
  const bodyBytes = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
  if (!head.startsWith('HTTP/1.1 200 ') || bodyBytes === undefined) return -1;
  return headBytes + Number(bodyBytes) - answer.length;
}

/** Makes TLS connections that resume nothing and ask for nothing, each closed when the handshake is done. */
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
          reject(new Error('not the handshake expected'));
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

/** What one call is answered, without the headers that every Node server adds by itself. */
export function answerOf({
  host,
  port,
  path,
  headers,
}: Omit<Call, 'body'>): Promise<Omit<CannedAnswer, 'printed'> & { readonly status: number }> {
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
