/** Server behaviors by name: for the tables of hosts, and to set on any host during a test. */
import { request, type ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { Behavior } from './site.ts';

type HeaderFields = Readonly<Record<string, string | readonly string[]>>;

/** Sends the same response to every request. */
export function respondWith(status: number, headers: HeaderFields = {}, body: string | Uint8Array = ''): Behavior {
  return { http: (_request, response) => send(response, status, headers, body) };
}

export function send(response: ServerResponse, status: number, headers: HeaderFields, body: string | Uint8Array): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  response.end(body);
}

export function redirect(location: string, status = 302): Behavior {
  return respondWith(status, { location });
}

/** Sends these octets as the response, then ends the connection. */
export function sendOctets(head: string | Uint8Array): Behavior {
  return { wire: (socket) => socket.end(head) };
}

/** Forwards every request, like a reverse proxy. */
export function forwardTo(host: string, port: number): Behavior {
  return {
    http: ({ method, url, headers }, response) => {
      const forwarded = request({ host, port, method, path: url, headers }, (upstream) => {
        response.writeHead(upstream.statusCode ?? 502, upstream.headers);
        upstream.pipe(response);
      });
      forwarded.on('error', () => response.destroy()).end();
    },
  };
}

/** Calls `write` every `ms` until the stream closes. */
function repeat(stream: Writable, ms: number, write: () => void): void {
  const timer = setInterval(write, ms);
  stream.once('close', () => clearInterval(timer));
}

const pageOf = (text: string) => `<!doctype html><title>${text}</title><h1>${text}</h1>`;

/** Each name is also a host: `<name>.test`, `<name>.doh.test` and `<name>.rdap.test`. */
export const faults = {
  /** Reads the request and never responds. */
  hang: { http: () => {} },
  /** Accepts the connection and never sends anything, not even a TLS handshake. */
  silent: { tcp: () => {} },
  'reset-at-once': { tcp: (socket) => socket.resetAndDestroy() },
  'reset-after-request': { tcp: (socket) => socket.once('data', () => socket.resetAndDestroy()) },
  /** Announces 1,000 octets and disconnects after a few. */
  'cut-off': sendOctets(
    'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"objectClassName":',
  ),
  html: respondWith(200, { 'content-type': 'text/html; charset=utf-8' }, pageOf('Maintenance')),
  'html-404': respondWith(404, { 'content-type': 'text/html; charset=utf-8' }, pageOf('Not Found')),
  'not-json': respondWith(200, { 'content-type': 'application/json' }, '{"objectClassName": "domain", '),
  empty: respondWith(200, { 'content-type': 'application/json' }),
  '204': respondWith(204),
  '400': respondWith(400),
  '401': respondWith(401, { 'www-authenticate': 'Basic realm="test"' }),
  '403': respondWith(403),
  '404': respondWith(404),
  '429': respondWith(429, { 'retry-after': '30' }),
  '500': respondWith(500),
  '501': respondWith(501),
  '503': respondWith(503, { 'retry-after': '120' }),
  /** 2 MB of JSON. */
  large: respondWith(200, { 'content-type': 'application/json' }, JSON.stringify({ filling: 'x'.repeat(10_000_000) })),
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
  garbage: sendOctets('This is not HTTP.\r\n\r\n'),
  'http-0.9': sendOctets(pageOf('A response without a status line')),
  'closed-without-answer': { wire: (socket) => socket.end() },
  /** Invalid header fields. */
  'bad-header': sendOctets('HTTP/1.1 200 OK\r\nno colon here\r\n\r\n'),
  'nul-in-header': sendOctets('HTTP/1.1 200 OK\r\nX-Nul: a\0b\r\nContent-Length: 0\r\n\r\n'),
  /** Two lengths, as in response smuggling (RFC 9112, section 6.3). */
  'two-lengths': sendOctets('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
  'redirect-loop': { http: (request, response) => send(response, 302, { location: request.url ?? '/' }, '') },
  'redirect-private': redirect('http://169.254.169.254/latest/meta-data/'),
} satisfies Record<string, Behavior>;
