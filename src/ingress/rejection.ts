/** Rejects connections and requests before they reach the handler. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Problem } from './options.ts';
import type { Response } from './exchange.ts';

/** Time for the client to read the response; closing a socket with unread bytes resets it and may lose the response. */
const lingerMs = 1000;

/** Sends a response on a connection whose bytes did not become a request, and closes it. */
export function sendAndClose(socket: Duplex, { status, headers, body }: Response): void {
  const head = Object.entries({
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    Date: new Date().toUTCString(),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}

const longestMethodBytes = 16;

/** Sends the response if the first bytes look like a request; else only closes, because no client would read it. */
export function rejectFirstBytes(socket: Socket, firstBytes: Buffer, response: () => Response): void {
  if (/^[A-Z]+( |$)/.test(firstBytes.toString('latin1', 0, longestMethodBytes))) sendAndClose(socket, response());
  else socket.destroy();
}

/** An error of Node's HTTP parser, with the bytes it was parsing. */
export interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** Whether the bytes are at fault; the other errors are those of the connection, such as a reset or an attempt to renegotiate TLS. */
export function isParserError({ code }: NodeJS.ErrnoException): boolean {
  return /^HPE_|^ERR_HTTP_/.test(code ?? '');
}

/** Returns the problem that an error of Node's HTTP parser stands for. */
export function problemOf({ code, rawPacket, bytesParsed = 0 }: ParserError): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  // The connection preface of HTTP/2.
  if (code === 'HPE_PAUSED_H2_UPGRADE') return 'version_not_supported';
  const version = code === 'HPE_INVALID_VERSION' ? rawPacket?.toString('latin1', bytesParsed - 3, bytesParsed) : '';
  return /^[2-9]\.\d$/.test(version ?? '') ? 'version_not_supported' : 'malformed_request';
}
