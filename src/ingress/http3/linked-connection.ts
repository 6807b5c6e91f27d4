/** The service's end of a link: a QUIC connection that another process ends. */
import type { Socket } from 'node:net';
import type {
  QuicConnection,
  QuicConnectionHandler,
  QuicHello,
  QuicStream,
  QuicStreamHandler,
  QuicTls,
} from '../../native/quic/quic.ts';
import { Link, type Message, messageTypes } from './link.ts';

/** What the other process knows of a connection when its handshake is complete; the ClientHello as Base64. */
export interface LinkOpening {
  readonly ip: string;
  readonly port: number;
  readonly hello: Omit<QuicHello, 'clientHello'> & { readonly clientHello: string };
  readonly tls: QuicTls;
}

/** The first stream that a server opens, which is unidirectional (RFC 9000 §2.1); the next one has four more. */
const firstServerStream = 3;

/** Calls `onOpen` when the other process has described the connection; it returns null to reject it. */
export function acceptLink(socket: Socket, onOpen: (quic: QuicConnection) => QuicConnectionHandler | null): void {
  let connection: LinkedConnection | null = null;
  const link = new Link(socket, (message) => {
    if (connection !== null) {
      connection.receive(message);
      return;
    }
    const opening = JSON.parse(Buffer.from(message.payload).toString()) as LinkOpening;
    connection = new LinkedConnection(link, socket, opening);
    connection.handler = onOpen(connection);
  });
  socket.on('drain', () => connection?.drain()).on('close', () => connection?.handler?.onClosed());
}

class LinkedConnection implements QuicConnection {
  readonly ip: string;
  readonly port: number;
  readonly hello: QuicHello;
  readonly tls: QuicTls;
  handler: QuicConnectionHandler | null = null;
  readonly #link: Link;
  readonly #socket: Socket;
  readonly #streams = new Map<number, LinkedStream>();
  #rttMicroseconds = 0;
  #nextStream = firstServerStream;

  constructor(link: Link, socket: Socket, { ip, port, hello, tls }: LinkOpening) {
    this.#link = link;
    this.#socket = socket;
    this.ip = ip;
    this.port = port;
    this.hello = { ...hello, clientHello: Buffer.from(hello.clientHello, 'base64') };
    this.tls = tls;
  }

  rttMs(): number | null {
    return this.#rttMicroseconds === 0 ? null : this.#rttMicroseconds / 1000;
  }

  openStream(handler: QuicStreamHandler): QuicStream {
    const stream = new LinkedStream(this.#link, this.#nextStream);
    stream.handler = handler;
    this.#streams.set(stream.id, stream);
    this.#nextStream += 4;
    return stream;
  }

  close(code: number): void {
    this.#link.send({ type: messageTypes.close, value: code });
    this.#socket.end();
  }

  /** The socket takes bytes again. */
  drain(): void {
    for (const stream of this.#streams.values()) if (!stream.isPaused) stream.handler?.onDrain();
  }

  receive(message: Message): void {
    const { type, stream: id, value } = message;
    const isData = type === messageTypes.data || type === messageTypes.end;
    if (isData && value !== 0) this.#rttMicroseconds = value;
    let stream = this.#streams.get(id);
    if (stream === undefined) {
      if (!isData || this.handler === null) return;
      stream = new LinkedStream(this.#link, id);
      this.#streams.set(id, stream);
      stream.handler = this.handler.onStream(stream);
    }
    stream.receive(message);
    if (stream.isReceived && stream.isSent) this.#streams.delete(id);
  }
}

class LinkedStream implements QuicStream {
  readonly id: number;
  handler: QuicStreamHandler | null = null;
  /** Whether the other process takes no more bytes now. */
  isPaused = false;
  /** Whether the other process has sent its last message with bytes of the client, which is `end` or `reset`. */
  isReceived: boolean;
  /** Whether nothing of ours follows. */
  isSent: boolean;
  readonly #link: Link;

  constructor(link: Link, id: number) {
    this.#link = link;
    this.id = id;
    const isOurs = (id & 1) === 1;
    this.isReceived = isOurs;
    this.isSent = !isOurs && !this.isBidirectional;
  }

  get isBidirectional(): boolean {
    return (this.id & 2) === 0;
  }

  write(bytes: Uint8Array, isLast = false): boolean {
    if (this.isSent) return true;
    this.isSent = isLast;
    const isTaken = this.#link.send({
      type: isLast ? messageTypes.end : messageTypes.data,
      stream: this.id,
      payload: bytes,
    });
    return isTaken && !this.isPaused;
  }

  pause(): void {
    this.#link.send({ type: messageTypes.pause, stream: this.id });
  }

  resume(): void {
    this.#link.send({ type: messageTypes.resume, stream: this.id });
  }

  stopReading(): void {
    this.#link.send({ type: messageTypes.stop, stream: this.id });
  }

  abort(code: number): void {
    this.isSent = true;
    this.#link.send({ type: messageTypes.reset, stream: this.id, value: code });
  }

  receive({ type, value, payload }: Message): void {
    if (type === messageTypes.end || type === messageTypes.reset) this.isReceived = true;
    if (type === messageTypes.data || type === messageTypes.end)
      this.handler?.onData(payload, type === messageTypes.end);
    else if (type === messageTypes.reset) this.handler?.onReset(value);
    else if (type === messageTypes.stop) this.handler?.onStopSending();
    else {
      this.isPaused = type === messageTypes.pause;
      if (!this.isPaused) this.handler?.onDrain();
    }
  }
}
