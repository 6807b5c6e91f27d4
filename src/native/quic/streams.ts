/** The streams of a connection: which are accepted, and how much each may send. */
import * as constants from './data/openssl-constants.ts';
import { openSsl } from './openssl.ts';
import type { RequestsInFlight } from './requests-in-flight.ts';
import type { QuicOptions } from './server-interface.ts';
import { OpenSslStream, type StreamOwner, type StreamSet } from './stream.ts';

export type { StreamOwner };

/** Bytes that OpenSSL keeps for each stream until its connection ends. */
const streamBytes = 2_048;

/**
 * Pause between two reads of what the client has acknowledged or rejected, which takes calls for each stream: a burst of responses brings dozens
 * of acknowledgements. There is none while something waits for room. If the client sends nothing more, the next sweep frees finished
 * streams, and notices that it rejects a response (STOP_SENDING).
 */
const acknowledgeMs = 10;

/** H3_REQUEST_INCOMPLETE (RFC 9114 §8.1). */
const requestIncomplete = 0x10d;

interface Services {
  readonly options: QuicOptions;
  readonly requestsInFlight: RequestsInFlight;
}

export class Streams implements StreamSet {
  readonly owner: StreamOwner;
  readonly #services: Services;
  readonly #all = new Set<OpenSslStream>();
  /** Streams that the client has opened so far. */
  #accepted = 0;
  /** Request streams, and how many have a response that has not been written completely. */
  #requests = 0;
  #inFlight = 0;
  #hasAborted = false;
  /** Whether streams may wait in OpenSSL because of a bound. */
  #hasWaiting = false;
  /** Whether the connection ends when everything has been sent. */
  #isClosing = false;
  #acknowledgedMs = 0;

  constructor(owner: StreamOwner, services: Services) {
    this.owner = owner;
    this.#services = services;
  }

  /** Whether a request has arrived completely and its response is not written completely. */
  get hasRequest(): boolean {
    return this.#all.values().some((stream) => stream.isAnswering);
  }

  /** Whether bytes wait that the client has not acknowledged. */
  get hasUnsent(): boolean {
    return this.#all.values().some((stream) => stream.hasUnsent);
  }

  /** Bytes of streams, and of what they have not passed to OpenSSL. */
  get heldBytes(): number {
    let bytes = this.#accepted * streamBytes;
    for (const stream of this.#all) bytes += stream.pendingBytes;
    return bytes;
  }

  /** Whether no request is open, and none was aborted, whose data OpenSSL keeps until the client acknowledges its end. */
  get isIdle(): boolean {
    return this.#requests === 0 && !this.#hasWaiting && !this.#hasAborted;
  }

  /** Opens a unidirectional stream; null if the client permits none now. */
  open(): OpenSslStream | null {
    const pointer = openSsl.SSL_new_stream(this.owner.pointer, constants.newStreamFlags);
    return pointer === 0n ? null : this.#add(pointer);
  }

  /** Takes the streams that the client has opened since the previous call, as far as bounds permit. */
  accept(): readonly OpenSslStream[] {
    const accepted: OpenSslStream[] = [];
    for (;;) {
      this.#hasWaiting = !this.#mayAccept();
      const next = this.#hasWaiting ? 0n : openSsl.SSL_accept_stream(this.owner.pointer, constants.noBlock);
      // The client's settings come before its requests.
      if (next === 0n)
        return accepted.toSorted((one, other) => Number(one.isBidirectional) - Number(other.isBidirectional));
      const stream = this.#add(next);
      accepted.push(stream);
      this.#accepted += 1;
      if (!stream.isRequest) continue;
      this.#requests += 1;
      this.#inFlight += 1;
      this.#services.requestsInFlight.add(this.owner.flow);
    }
  }

  /** Receives on all streams, and then sends what waits. */
  serve(): void {
    let mayNeedRoom = this.#requests >= this.#services.options.bounds.maxConcurrentStreams;
    for (const stream of this.#all) {
      stream.read();
      mayNeedRoom ||= stream.waits;
    }
    if (!mayNeedRoom && !this.#isClosing && performance.now() - this.#acknowledgedMs < acknowledgeMs) return;
    this.acknowledge();
    let waiting = 0;
    for (const stream of this.#all) if (stream.waits) waiting += 1;
    // The same for each, or a large response would stop the others.
    const share = Math.ceil(this.owner.sendBudget / waiting);
    for (const stream of this.#all) stream.send(Math.min(share, this.owner.sendBudget));
  }

  /** Notices what the client has acknowledged or refused, and frees the streams that this completes. */
  acknowledge(): void {
    this.#acknowledgedMs = performance.now();
    for (const stream of this.#all) stream.acknowledge();
  }

  /** Gives up request streams whose first bytes do not arrive: nobody else knows of them. */
  sweep(nowMs: number): void {
    for (const stream of this.#all) {
      const isLate = nowMs - stream.openedMs > this.#services.options.bounds.headersTimeoutMs;
      if (!isLate || !stream.isRequest || stream.hasReceived) continue;
      stream.handler?.onReset(requestIncomplete);
      stream.abort(requestIncomplete);
    }
  }

  /** Removes the handlers of all streams, before the connection ends. */
  ignore(): void {
    this.#isClosing = true;
    for (const stream of this.#all) stream.handler = null;
  }

  free(): void {
    this.#services.requestsInFlight.forget(this.owner);
    for (const stream of this.#all) stream.free();
  }

  remove(stream: OpenSslStream): void {
    this.#all.delete(stream);
    if (stream.isRequest) this.#requests -= 1;
    if (this.#hasWaiting) this.owner.wake();
  }

  onAborted(): void {
    this.#hasAborted = true;
  }

  onSent(stream: OpenSslStream): void {
    if (!stream.isRequest) return;
    this.#inFlight -= 1;
    this.#services.requestsInFlight.remove(this.owner.flow);
    if (this.#hasWaiting) this.owner.wake();
  }

  /**
   * Whether one more stream may be accepted. OpenSSL permits the client a stream for each that is accepted, without a look at how many are
   * open, and keeps a part of each until the connection ends.
   */
  #mayAccept(): boolean {
    const { options, requestsInFlight } = this.#services;
    const { maxConcurrentStreams, maxRequestsInFlight, quicConnectionStreams } = options.bounds;
    if (this.#accepted >= quicConnectionStreams || this.#requests >= maxConcurrentStreams) return false;
    return this.#inFlight < maxRequestsInFlight && requestsInFlight.hasRoom(this.owner);
  }

  #add(pointer: bigint): OpenSslStream {
    const stream = new OpenSslStream(this, pointer);
    this.#all.add(stream);
    return stream;
  }
}
