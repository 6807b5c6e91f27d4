/**
 * Requests a response whose head Node's parser rejects once more, and reads it as browsers do: the parser does not tell what it read. The
 * connection is of its own, to the same addresses; of the body, at most what arrives with the head is received, and discarded.
 */

import type { Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import type { buildConnector } from 'undici';
import { maxInformationalResponses, maxResponseHeaderBytes } from '../../../core/limits.ts';
import type { MalformedLine, OutboundRequest, OutboundResult } from '../../../core/platform.ts';
import { headersOf } from './received-headers.ts';
import { endOfHead, parseHead } from './response-head.ts';

const malformed = { failure: 'malformed' } as const;

/** Rejects if the connection fails. */
export async function requestHead(
  request: OutboundRequest,
  connect: buildConnector.connector,
  signal: AbortSignal,
): Promise<OutboundResult> {
  const { protocol, hostname, host, port, pathname, search } = new URL(request.url);
  const socket = await openSocket(connect, { protocol, hostname, host, port });
  addAbortSignal(signal, socket);
  const lines = Object.entries({ host, connection: 'close', ...request.headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.write(`${request.method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  let text = '';
  let from = 0;
  let informational = 0;
  const found: MalformedLine[] = [];
  // Leaving the loop closes the connection.
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    text += chunk.toString('latin1');
    for (let end = endOfHead(text, from); end !== -1; end = endOfHead(text, from)) {
      if (end > maxResponseHeaderBytes) return { failure: 'too_large' };
      const head = parseHead(text.slice(from, end));
      if (head === null) return malformed;
      found.push(...head.malformed);
      if (head.status >= 200) {
        const { bytes: _, ...received } = headersOf(head.fields);
        return { ...received, status: head.status, body: new Uint8Array(), malformed: found };
      }
      informational += 1;
      if (informational > maxInformationalResponses) return { failure: 'informational' };
      from = end;
    }
    if (text.length > maxResponseHeaderBytes) return { failure: 'too_large' };
  }
  return malformed;
}

type Target = Pick<buildConnector.Options, 'protocol' | 'hostname' | 'host' | 'port'>;

function openSocket(connect: buildConnector.connector, target: Target): Promise<Socket> {
  return new Promise((resolve, reject) => {
    connect(target, (error, socket) => (socket === null ? reject(error) : resolve(socket)));
  });
}
