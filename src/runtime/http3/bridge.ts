/** The other end of the links: passes the streams of QUIC connections to the threads of the service. */
import { createConnection, type Socket } from 'node:net';
import { errorCodes } from '../../ingress/http3/errors.ts';
import { Link, type Message, messageTypes, type SentMessage } from '../../ingress/http3/link.ts';
import type { LinkOpening } from '../../ingress/http3/linked-connection.ts';
import type {
  OnQuicConnection,
  QuicConnection,
  QuicConnectionHandler,
  QuicStream,
  QuicStreamHandler,
} from '../../native/quic/quic.ts';

/** Divides the connections among the Unix sockets of the threads. A thread that is being replaced does not listen; the next one serves then. */
export function createBridge(paths: readonly string[]): OnQuicConnection {
  let connections = 0;
  return (quic) => {
    connections += 1;
    const inOrder = paths.map((_, at) => paths[(connections + at) % paths.length] as string);
    return new Bridge(quic, inOrder);
  };
}

interface BridgedStream {
  readonly stream: QuicStream;
  /** Whether the last bytes of the client have been passed on. */
  isReceived: boolean;
  /** Whether the service sends no more. */
  isSent: boolean;
}

/** One QUIC connection and its link. */
class Bridge implements QuicConnectionHandler {
  readonly #quic: QuicConnection;
  readonly #streams = new Map<number, BridgedStream>();
  /** Streams that are not read until the link takes bytes again. */
  readonly #paused = new Set<QuicStream>();
  #socket: Socket | null = null;
  #link: Link | null = null;
  /** What follows the opening until the link is connected. */
  #early: SentMessage[] = [];
  #isClosed = false;

  constructor(quic: QuicConnection, paths: readonly string[]) {
    this.#quic = quic;
    const { ip, port, hello, tls } = quic;
    const clientHello = Buffer.from(hello.clientHello).toString('base64');
    const opening: LinkOpening = { ip, port, hello: { ...hello, clientHello }, tls };
    this.#early.push({ type: messageTypes.open, payload: Buffer.from(JSON.stringify(opening)) });
    this.#connect(paths);
  }

  #connect([path, ...others]: readonly string[]): void {
    if (this.#isClosed) return;
    if (path === undefined) {
      this.#quic.close(errorCodes.internalError);
      return;
    }
    const socket = createConnection(path);
    this.#socket = socket;
    socket.on('error', () => {
      if (this.#link === null) this.#connect(others);
    });
    socket.once('connect', () => {
      const link = new Link(socket, (message) => this.#receive(message));
      this.#link = link;
      for (const message of this.#early) link.send(message);
      this.#early = [];
      this.#resumeAll();
      socket.on('drain', () => this.#resumeAll());
      socket.on('close', () => {
        if (!this.#isClosed) this.#quic.close(errorCodes.noError);
      });
    });
  }

  onStream(stream: QuicStream): QuicStreamHandler {
    const { id } = stream;
    const bridged = { stream, isReceived: false, isSent: !stream.isBidirectional };
    this.#streams.set(id, bridged);
    return {
      onData: (payload, isLast) => {
        const value = this.#rttMicroseconds();
        if (isLast) this.#endReceiving(bridged, { type: messageTypes.end, value, payload });
        else if (!this.#send({ type: messageTypes.data, stream: id, value, payload })) {
          stream.pause();
          this.#paused.add(stream);
        }
      },
      onReset: (value) => this.#endReceiving(bridged, { type: messageTypes.reset, value }),
      ...this.#sendingHandlers(id),
    };
  }

  #sendingHandlers(stream: number): Pick<QuicStreamHandler, 'onStopSending' | 'onDrain'> {
    return {
      onStopSending: () => void this.#send({ type: messageTypes.stop, stream }),
      onDrain: () => void this.#send({ type: messageTypes.resume, stream }),
    };
  }

  onClosed(): void {
    this.#isClosed = true;
    this.#socket?.destroy();
  }

  #send(message: SentMessage): boolean {
    if (this.#link !== null) return this.#link.send(message);
    this.#early.push(message);
    return false;
  }

  /** Sends the last message with bytes of the client, once. */
  #endReceiving(bridged: BridgedStream, message: SentMessage): void {
    if (bridged.isReceived) return;
    bridged.isReceived = true;
    this.#send({ ...message, stream: bridged.stream.id });
    this.#forgetEnded(bridged);
  }

  #forgetEnded({ stream, isReceived, isSent }: BridgedStream): void {
    if (isReceived && isSent) this.#streams.delete(stream.id);
  }

  #rttMicroseconds(): number {
    return Math.min(Math.round((this.#quic.rttMs() ?? 0) * 1000), 2 ** 32 - 1);
  }

  #resumeAll(): void {
    for (const stream of this.#paused) stream.resume();
    this.#paused.clear();
  }

  #receive({ type, stream: id, value, payload }: Message): void {
    if (type === messageTypes.close) {
      this.#quic.close(value);
      return;
    }
    const bridged = this.#streams.get(id) ?? this.#open(id);
    if (bridged === null) return;
    const { stream } = bridged;
    if (type === messageTypes.data || type === messageTypes.end) {
      bridged.isSent = type === messageTypes.end;
      if (!stream.write(payload, bridged.isSent)) this.#send({ type: messageTypes.pause, stream: id });
    } else if (type === messageTypes.pause) stream.pause();
    else if (type === messageTypes.resume) stream.resume();
    else {
      if (type === messageTypes.stop) stream.stopReading();
      else {
        bridged.isSent = true;
        stream.abort(value);
      }
      this.#endReceiving(bridged, { type: messageTypes.reset });
    }
    this.#forgetEnded(bridged);
  }

  /** Opens the stream to which the service writes for the first time; null for one of the client's that has ended. */
  #open(id: number): BridgedStream | null {
    const isOurs = (id & 1) === 1;
    const handler = { onData() {}, onReset() {}, ...this.#sendingHandlers(id) };
    const stream = isOurs ? this.#quic.openStream(handler) : null;
    if (stream === null) {
      // Without a control stream there is no HTTP/3.
      if (isOurs) this.#quic.close(errorCodes.streamCreationError);
      return null;
    }
    const bridged = { stream, isReceived: true, isSent: false };
    this.#streams.set(id, bridged);
    return bridged;
  }
}
