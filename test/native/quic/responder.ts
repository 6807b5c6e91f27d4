/** A QUIC server that answers every HTTP/3 request with the same response, without reading it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { keyExchangeGroups } from '../../../src/core/limits.ts';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import { localPortBounds, openPorts } from '../../../src/ingress/local-ports.ts';
import { listenQuic } from '../../../src/native/quic/endpoint.ts';
import type { HeldConnection, QuicEndpoint, QuicOptions } from '../../../src/native/quic/server-interface.ts';
import type { QuicConnection, QuicStream, QuicStreamHandler } from '../../../src/native/quic.ts';
import { createLocalhostCertificate } from '../../../src/runtime/certificate.ts';

export const certificate = await createLocalhostCertificate();

/** The stream type of a control stream, and an empty SETTINGS frame (RFC 9114 §6.2.1 and §7.2.4). */
const controlStream = Buffer.from([0, 4, 0]);
/** A HEADERS frame with `:status: 200` from QPACK's static table. */
export const headers = Buffer.from([1, 3, 0, 0, 0xd9]);

function dataFrame(body: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(0x8000_0000 + body.length, 1);
  return Buffer.concat([head, body]);
}

export interface Responder extends AsyncDisposable {
  readonly endpoint: QuicEndpoint;
  readonly port: number;
  readonly connections: HeldConnection[];
  /** Connections that have ended. */
  readonly closed: QuicConnection[];
  /** Their round-trip times. */
  readonly rttsMs: (number | null)[];
  /** Resolves when the next connection has ended. */
  nextClosed(): Promise<unknown>;
}

/** What a test does with request streams instead of a response, and other options of the server. */
interface ResponderOptions extends Partial<QuicOptions> {
  handle?(stream: QuicStream): Partial<QuicStreamHandler>;
}

/** The response has this body. */
export async function startResponder(
  body: string,
  { host = '127.0.0.1', admit = () => () => {}, handle = () => ({}), ...options }: ResponderOptions = {},
): Promise<Responder> {
  const response = Buffer.concat([headers, dataFrame(Buffer.from(body))]);
  const connections: HeldConnection[] = [];
  const closed: QuicConnection[] = [];
  const rttsMs: (number | null)[] = [];
  const events = new EventTarget();
  const quicOptions: QuicOptions = {
    host,
    port: 0,
    certificate,
    groups: keyExchangeGroups,
    handshakeCost: () => 1,
    admit,
    bounds,
    ...options,
    onConnection(connection) {
      connections.push(connection);
      connection.openStream()?.write(controlStream);
      return {
        onStream(stream) {
          stream.handler = {
            onData(_bytes, isLast) {
              if (isLast && stream.isBidirectional) stream.write(response, true);
            },
            onReset() {},
            onStopSending() {},
            onDrain() {},
            ...(stream.isBidirectional ? handle(stream) : {}),
          };
        },
        onClosed() {
          closed.push(connection);
          rttsMs.push(connection.rttMs());
          events.dispatchEvent(new Event('closed'));
        },
      };
    },
  };
  // A port that is free on one address may be taken on another.
  const choice = { isAnyPort: true, bounds: localPortBounds, onWaiting: null, isClosing: () => false };
  const endpoint = await openPorts(() => listenQuic(quicOptions), choice);
  assert.ok(endpoint !== null);
  if ('obstacle' in endpoint) throw new Error(endpoint.obstacle);
  return {
    endpoint,
    port: endpoint.port,
    connections,
    closed,
    rttsMs,
    nextClosed: () => once(events, 'closed'),
    [Symbol.asyncDispose]: () => endpoint.close(),
  };
}
