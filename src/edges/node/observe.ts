/** Observes one request on a connection that this process accepted; and facts about that connection, if a request needs them. */
import { hash } from 'node:crypto';
import type { Socket } from 'node:net';
import { endianness } from 'node:os';
import { parseClientHello } from '../../client/fingerprint/client-hello.ts';
import { ServiceError } from '../../core/errors.ts';
import {
  type AutonomousSystem,
  type ObservedHandshake,
  type ObservedLayers,
  type ObservedLocation,
  type ObservedRequest,
  type ObservedTls,
  type Transport,
  unobserved,
} from '../../core/observed.ts';
import type { RequestBody } from '../../core/platform.ts';
import type { Connection } from '../../ingress/connection.ts';
import type { Exchange } from '../../ingress/exchange.ts';
import type { Identity } from '../../ingress/limits/identity.ts';
import { headerFieldsOf } from '../../ingress/message/headers.ts';
import { createTcpOptionReader, optionTcpInfo } from '../../native/tcp.ts';
import type { OpenGeoip } from './geoip/geoip.ts';

const noEdgeHeaders: Readonly<Record<string, string>> = Object.freeze({});

/** Values that all requests of a process share. */
export interface ServingSite {
  readonly geoip: OpenGeoip;
  /** IATA code of the data center, from the settings. */
  readonly colo: string | null;
}

/**
 * A class, because getters on an object literal cost a tenth of a request to `/ip` (1.3 µs). The same object provides the body,
 * because a second object per request is measurable too.
 */
export class NodeRequest implements ObservedRequest, RequestBody {
  readonly #exchange: Exchange;
  readonly #connection: Connection;
  readonly #site: ServingSite;
  readonly edgeHeaders = noEdgeHeaders;
  readonly simulated = false;

  constructor(exchange: Exchange, site: ServingSite) {
    this.#exchange = exchange;
    this.#connection = exchange.connection;
    this.#site = site;
  }

  get path(): string {
    return this.#exchange.target.path;
  }

  get query(): string {
    return this.#exchange.target.query;
  }

  get origin(): string {
    return `${this.isSecure ? 'https' : 'http'}://${this.#exchange.target.authority}`;
  }

  get isSecure(): boolean {
    return this.#connection.isSecure;
  }

  get method(): string {
    return this.#exchange.method;
  }

  get ip(): string | null {
    return this.#connection.client.ip;
  }

  get port(): number | null {
    return this.#connection.client.port;
  }

  get rateKey(): Identity {
    return this.#connection.identity;
  }

  get location(): ObservedLocation {
    const facts = factsOf(this.#connection);
    facts.location ??= this.#site.geoip.locate(this.ip);
    return facts.location;
  }

  get autonomousSystem(): AutonomousSystem {
    const facts = factsOf(this.#connection);
    facts.autonomousSystem ??= this.#site.geoip.autonomousSystem(this.ip);
    return facts.autonomousSystem;
  }

  get colo(): string | null {
    return this.#site.colo;
  }

  get transport(): Transport {
    return transportOf(this.#connection);
  }

  get tls(): ObservedTls {
    return tlsOf(this.#connection);
  }

  get handshake(): ObservedHandshake {
    const { clientHello, http2Frames, http3Frames, quic } = this.#connection;
    return {
      clientHello,
      http2Frames,
      http3Frames,
      quic: quic?.hello ?? null,
      headerFields: headerFieldsOf(this.#exchange.rawHeaders),
      tcpSyn: this.#connection.syn,
      ja3: null,
      ja4: null,
    };
  }

  get layers(): ObservedLayers {
    const { tlsMs, tlsSocket, http2Ms } = this.#connection;
    return { tlsMs, tlsResumed: tlsSocket?.isSessionReused() ?? null, http2Ms };
  }

  get ping(): ObservedRequest['ping'] {
    const { protocol } = this.#connection;
    return protocol?.ping?.bind(protocol) ?? null;
  }

  get protocol(): ObservedRequest['protocol'] {
    return this.#exchange.protocol;
  }

  get requestNumber(): number {
    return this.#exchange.requestNumber;
  }

  get priority(): string | null {
    return this.headers.priority ?? null;
  }

  get acceptEncoding(): string | null {
    return this.headers['accept-encoding'] ?? null;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#exchange.headers;
  }

  get onLoopback(): boolean {
    const { client, quic, socket } = this.#connection;
    // Over QUIC, only the client's address is known; one of loopback reaches nothing else.
    const address = quic === null ? socket.localAddress : client.ip;
    return !client.relayed && /^(?:(?:::ffff:)?127\.|::1$)/i.test(address ?? '');
  }

  onEnd(listener: () => void): void {
    this.#exchange.onEnd(listener);
  }

  async read(maxBytes: number): Promise<Uint8Array | null> {
    const body = await this.#exchange.readBody(maxBytes);
    if (body === 'too_large') return null;
    if (typeof body === 'string') throw new ServiceError(body);
    return body;
  }
}

/** Facts about a connection that are derived or measured only if a request needs them. */
export class ClientFacts {
  location: ObservedLocation | null = null;
  autonomousSystem: AutonomousSystem | null = null;
  tls: ObservedTls | null = null;
  transport: Transport | null = null;
  /** When `transport` was measured (`performance.now`). */
  transportMs = 0;
}

/** Returns the facts that the admission has attached to a connection. */
const factsOf = (connection: Connection): ClientFacts => connection.facts as ClientFacts;

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

/** Returns length and hashes of a ClientHello body; all null if it is malformed. */
export function digestsOf(body: Uint8Array) {
  const hello = parseClientHello(body);
  if (hello === null) return { clientHelloLength: null, clientCiphersSha1: null, clientExtensionsSha1: null };
  return {
    clientHelloLength: body.length,
    clientCiphersSha1: sha1Of(hello.cipherSuites),
    clientExtensionsSha1: hello.extensions && sha1Of(hello.extensions.map(({ id }) => id)),
  };
}

/** Base64 SHA-1 of the values as sent: 16-bit big-endian, GREASE included. */
const sha1Of = (ids: readonly number[]): string =>
  hash('sha1', Buffer.from(ids.flatMap((id) => [id >> 8, id & 0xff])), 'base64');

// struct tcp_info of include/uapi/linux/tcp.h, up to the last value in use; an older kernel returns fewer bytes.
const rttMicrosecondsAt = 68;
const deliveryRateAt = 160;
const infoBytes = deliveryRateAt + 8;

const tcpInfo = createTcpOptionReader(optionTcpInfo, infoBytes);
/** Cheaper to read from than a Buffer. */
const values = new DataView(tcpInfo.bytes.buffer, tcpInfo.bytes.byteOffset, infoBytes);
const isLittleEndian = endianness() === 'LE';

/** Reads RTT and delivery rate of a TCP connection from the kernel (Linux TCP_INFO); null if not measured, never 0. */
function measureTcp(socket: Socket): Transport {
  const length = tcpInfo.read(socket);
  if (length < rttMicrosecondsAt + 4) return unobserved.transport;
  const rttMicroseconds = values.getUint32(rttMicrosecondsAt, isLittleEndian);
  const deliveryRate =
    length < infoBytes
      ? 0
      : values.getUint32(deliveryRateAt, isLittleEndian) +
        values.getUint32(deliveryRateAt + 4, isLittleEndian) * 2 ** 32;
  return {
    clientTcpRttMs: rttMicroseconds === 0 ? null : rttMicroseconds / 1000,
    clientQuicRttMs: null,
    deliveryRateBps: deliveryRate === 0 ? null : deliveryRate,
  };
}
