/** What is derived or measured for a connection, and only if a request needs it. */
import { hash } from 'node:crypto';
import { parseClientHello } from '../../client/fingerprint/client-hello.ts';
import {
  type AutonomousSystem,
  type ObservedLocation,
  type ObservedTls,
  type Transport,
  unobserved,
} from '../../core/observed.ts';
import type { Connection } from '../../ingress/connection.ts';
import { measureTcp } from './tcp-info.ts';

export class ClientFacts {
  readonly rateKey: string;
  location: ObservedLocation | null = null;
  autonomousSystem: AutonomousSystem | null = null;
  tls: ObservedTls | null = null;
  transport: Transport | null = null;
  /** When `transport` was measured (`performance.now`). */
  transportMs = 0;

  constructor(rateKey: string) {
    this.rateKey = rateKey;
  }
}

/** Returns the facts that the admission has attached to a connection. */
export function factsOf(connection: Connection): ClientFacts {
  return connection.facts as ClientFacts;
}

export function tlsOf(connection: Connection): ObservedTls {
  const { tlsSocket, quic, clientHello } = connection;
  if (!connection.isSecure) return unobserved.tls;
  const facts = factsOf(connection);
  facts.tls ??= {
    ...unobserved.tls,
    // QUIC has no other version (RFC 9001 §4.2).
    version: quic === null ? (tlsSocket?.getProtocol() ?? null) : 'TLSv1.3',
    cipher: quic?.tls.cipher ?? tlsSocket?.getCipher()?.name ?? null,
    ...(clientHello === null ? null : digestsOf(clientHello)),
  };
  return facts.tls;
}

/** Requests that arrive together share a measurement: the system call for it takes 1.6 µs. */
const maxMeasurementAgeMs = 10;

export function transportOf(connection: Connection): Transport {
  const facts = factsOf(connection);
  const nowMs = performance.now();
  if (facts.transport === null || nowMs - facts.transportMs > maxMeasurementAgeMs) {
    facts.transport = measureTransport(connection);
    facts.transportMs = nowMs;
  }
  return facts.transport;
}

function measureTransport({ client, quic, socket }: Connection): Transport {
  if (quic !== null) return { ...unobserved.transport, clientQuicRttMs: quic.rttMs() };
  return client.relayed ? unobserved.transport : measureTcp(socket);
}

export type HelloDigests = Pick<ObservedTls, 'clientHelloLength' | 'clientCiphersSha1' | 'clientExtensionsSha1'>;

/** Returns length and hashes of a ClientHello body; all null if it is malformed. */
export function digestsOf(body: Uint8Array): HelloDigests {
  const hello = parseClientHello(body);
  if (hello === null) return { clientHelloLength: null, clientCiphersSha1: null, clientExtensionsSha1: null };
  return {
    clientHelloLength: body.length,
    clientCiphersSha1: sha1Of(hello.cipherSuites),
    clientExtensionsSha1: hello.extensions && sha1Of(hello.extensions.map(({ id }) => id)),
  };
}

/** Base64 SHA-1 of the values as sent: 16-bit big-endian, GREASE included. */
function sha1Of(ids: readonly number[]): string {
  return hash('sha1', Buffer.from(ids.flatMap((id) => [id >> 8, id & 0xff])), 'base64');
}
