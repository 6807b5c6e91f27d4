/** Rejects connections and requests before they reach the application. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ErrorCode, errors } from '../core/errors.ts';
import type { Platform } from '../core/platform.ts';
import { unknownEndpoint } from '../http/app.ts';
import { errorResponse, type HttpResponse } from '../http/response.ts';

/** Creates and counts the response to a request that is rejected; without a message, it has the error's own. */
export type Reject = (code: ErrorCode, message?: string) => HttpResponse;

/** `base` returns the service's own URL, for the link to the documentation. */
export function createReject({ count }: Pick<Platform, 'count'>, base: () => string): Reject {
  return (code, message) => {
    const response = errorResponse({ code, message: message ?? errors[code].message }, base());
    count(unknownEndpoint, response.status);
    return response;
  };
}

/** Time for the client to read the response; closing a socket with unread bytes resets it and may lose the response. */
const lingerMs = 1000;

/** Sends a response on a connection whose bytes did not become a request, and closes it. */
export function sendAndClose(socket: Duplex, { status, headers, body }: HttpResponse): void {
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
export function rejectFirstBytes(socket: Socket, firstBytes: Buffer, response: () => HttpResponse): void {
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

/** Maps an error of Node's HTTP parser to ours. */
export function parserError({ code, rawPacket, bytesParsed = 0 }: ParserError): ErrorCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  // The preface of HTTP/2.
  if (code === 'HPE_PAUSED_H2_UPGRADE') return 'version_not_supported';
  const version = code === 'HPE_INVALID_VERSION' ? rawPacket?.toString('latin1', bytesParsed - 3, bytesParsed) : '';
  return /^[2-9]\.\d$/.test(version ?? '') ? 'version_not_supported' : 'malformed_request';
}
