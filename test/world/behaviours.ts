/** What servers do, well or badly, by name: for the rows of the tables, and to be put on any host during a test. */
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { Behaviour } from './site.ts';

type HeaderFields = Readonly<Record<string, string | readonly string[]>>;

/** One and the same answer to every request. */
export function answer(status: number, headers: HeaderFields = {}, body: string | Uint8Array = ''): Behaviour {
  return { http: (_request, response) => send(response, status, headers, body) };
}

export function send(response: ServerResponse, status: number, headers: HeaderFields, body: string | Uint8Array): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  response.end(body);
}

export function redirect(location: string, status = 302): Behaviour {
  return answer(status, { location });
}

/** These octets as an answer, then the end of the connection. */
export function octets(head: string | Uint8Array): Behaviour {
  return { wire: (socket) => socket.end(head) };
}

/** Calls `write` every `ms` until nobody is there to read. */
function repeat(stream: Writable, ms: number, write: () => void): void {
  const timer = setInterval(write, ms);
  stream.once('close', () => clearInterval(timer));
}

const pageOf = (text: string) => `<!doctype html><title>${text}</title><h1>${text}</h1>`;

/** Every name is also a host: `<name>.test`, `<name>.doh.test` and `<name>.rdap.test`. */
export const faults = {
  /** Reads the request and never answers. */
  hang: { http: () => {} },
  /** Accepts the connection and never says a word, not even in TLS. */
  silent: { tcp: () => {} },
  'reset-at-once': { tcp: (socket) => socket.resetAndDestroy() },
  'reset-after-request': { tcp: (socket) => socket.once('data', () => socket.resetAndDestroy()) },
  /** Promises 1,000 octets and breaks off after a few. */
  'cut-off': octets(
    'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"objectClassName":',
  ),
  html: answer(200, { 'content-type': 'text/html; charset=utf-8' }, pageOf('Maintenance')),
  'html-404': answer(404, { 'content-type': 'text/html; charset=utf-8' }, pageOf('Not Found')),
  'not-json': answer(200, { 'content-type': 'application/json' }, '{"objectClassName": "domain", '),
  empty: answer(200, { 'content-type': 'application/json' }),
  '204': answer(204),
  '400': answer(400),
  '401': answer(401, { 'www-authenticate': 'Basic realm="test"' }),
  '403': answer(403),
  '404': answer(404),
  '429': answer(429, { 'retry-after': '30' }),
  '500': answer(500),
  '501': answer(501),
  '503': answer(503, { 'retry-after': '120' }),
  /** 2 MB of JSON. */
  large: answer(200, { 'content-type': 'application/json' }, JSON.stringify({ filling: 'x'.repeat(2_000_000) })),
  /** A body that never ends, as fast as it is read. */
  endless: {
    http: (_request, response) => {
      const piece = Buffer.alloc(65_536, ' ');
      response.writeHead(200, { 'content-type': 'application/json' });
      const write = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', write);
      write();
    },
  },
  /** One octet of the body every 50 ms. */
  'slow-body': {
    http: (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      repeat(response, 50, () => response.write(' '));
    },
  },
  /** One octet of an endless header every 50 ms. */
  'slow-header': {
    wire: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
      repeat(socket, 50, () => socket.write('x'));
    },
  },
  'early-hints': {
    wire: (socket) =>
      repeat(socket, 5, () => socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n')),
  },
  garbage: octets('This is no HTTP.\r\n\r\n'),
  'http-0.9': octets(pageOf('An answer without a status line')),
  'closed-without-answer': { wire: (socket) => socket.end() },
  /** Header values that are not allowed, or hardly. */
  'bad-header': octets('HTTP/1.1 200 OK\r\nno colon here\r\n\r\n'),
  'nul-in-header': octets('HTTP/1.1 200 OK\r\nX-Nul: a\0b\r\nContent-Length: 0\r\n\r\n'),
  /** Two lengths: a smuggler's answer (RFC 9112, section 6.3). */
  'two-lengths': octets('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
  'redirect-loop': { http: (request, response) => send(response, 302, { location: request.url ?? '/' }, '') },
  'redirect-private': redirect('http://169.254.169.254/latest/meta-data/'),
} satisfies Record<string, Behaviour>;

export type FaultName = keyof typeof faults;
