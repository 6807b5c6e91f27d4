/** Load over HTTP/2: several streams per connection, or one visit after another. */
import { connect } from 'node:http2';
import { type Http2Frames, readFrames, types } from './http2-frames.ts';
import { type LoadClient, type LoadTarget, runLoad } from './load-clients.ts';
import type { CannedResponse } from './server.ts';
import { openTls, pin, received, type Stream, socketAddress } from './system-calls.ts';

export interface Http2Load {
  readonly frames: Http2Frames;
  readonly connections: number;
  /** Concurrent requests of a connection. */
  readonly streams: number;
  /** Whether a connection serves many requests; otherwise each request is a visit with a connection of its own. */
  readonly isKeptAlive: boolean;
}

export function createHttp2Load({ host, port }: LoadTarget, load: Http2Load) {
  const address = socketAddress(host, port);
  const open = () => openTls(address, 'h2');
  return runLoad(Array.from({ length: load.connections }, () => new Http2Client(load, open)));
}

const streamIdOffset = 5;
const endStream = 0x1;
const acknowledged = 0x1;
const paddedOrPriority = 0x28;
/** `:status: 200` in the static table of HPACK (RFC 7541, appendix A), always the first field. */
const indexed200 = 0x88;
const maxBatchBytes = 65_536;

const frame = (type: number, flags: number, payload: readonly number[] = []): Buffer =>
  Buffer.from([0, 0, payload.length, type, flags, 0, 0, 0, 0, ...payload]);
const settingsAck = frame(types.settings, acknowledged);
/** Last stream 0, NO_ERROR: the server closes, which leaves the client's ports free. */
const goaway = frame(types.goaway, 0, [0, 0, 0, 0, 0, 0, 0, 0]);

class Http2Client implements LoadClient {
  readonly #load: Http2Load;
  readonly #open: () => Stream;
  /** Frames to send, all at once: as many as `#batched` bytes. */
  readonly #batch = pin(Buffer.alloc(maxBatchBytes));
  #batched = 0;
  #stream: Stream | null = null;
  #phase: 'closed' | 'handshake' | 'requests' | 'end' = 'closed';
  #nextId = 1;
  #inFlight = 0;
  /** The beginning of a frame whose end was not received yet. */
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of bodies since the connection's window was last restored. */
  #consumed = 0;

  constructor(load: Http2Load, open: () => Stream) {
    this.#load = load;
    this.#open = open;
  }

  get isBusy(): boolean {
    return this.#inFlight > 0 || this.#phase === 'handshake' || this.#phase === 'end';
  }

  step(mayStart: boolean): number {
    if (this.#stream === null && !mayStart) return 0;
    const stream = this.#stream ?? this.#connect();
    if (this.#phase === 'handshake') {
      if (stream.handshake() === null) return 0;
      this.#phase = 'requests';
    }
    if (this.#phase === 'requests' && (mayStart || !this.#load.isKeptAlive)) this.#startRequests();
    if (!this.#flush(stream)) return 0;
    const length = stream.receive();
    if (length === null) return 0;
    if (length > 0) return this.#receive(received.bytes.subarray(0, length));
    if (this.#phase !== 'end') throw new Error('a connection was closed before its response');
    this.close();
    return 0;
  }

  close(): void {
    this.#stream?.close();
    this.#stream = null;
    this.#phase = 'closed';
  }

  #connect(): Stream {
    this.#phase = 'handshake';
    this.#nextId = 1;
    this.#rest = Buffer.alloc(0);
    this.#push(this.#load.frames.opening);
    this.#stream = this.#open();
    return this.#stream;
  }

  #startRequests(): void {
    const { frames, streams, isKeptAlive } = this.#load;
    while (this.#inFlight < streams && (isKeptAlive || this.#nextId === 1)) {
      const at = this.#batched;
      this.#push(this.#nextId === 1 ? frames.first : frames.repeated);
      this.#batch.bytes.writeUInt32BE(this.#nextId, at + streamIdOffset);
      this.#nextId += 2;
      this.#inFlight += 1;
    }
  }

  #push(bytes: Buffer): void {
    if (this.#batched + bytes.length > maxBatchBytes) throw new Error('the server does not read');
    this.#batched += bytes.copy(this.#batch.bytes, this.#batched);
  }

  /** Returns whether everything has been sent. */
  #flush(stream: Stream): boolean {
    if (this.#batched === 0) return true;
    const { at, bytes } = this.#batch;
    if (stream.send({ at, bytes: bytes.subarray(0, this.#batched), size: BigInt(this.#batched) }) === null)
      return false;
    this.#batched = 0;
    return true;
  }

  #receive(bytes: Buffer): number {
    let completed = 0;
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const end = readFrames(all, (type, flags, payload) => {
      if (type === types.headers) expect200(flags, payload);
      else if (type === types.data) this.#consume(payload.length);
      else if (type === types.settings && flags !== acknowledged) this.#push(settingsAck);
      else if (type === types.rstStream || (type === types.goaway && this.#phase !== 'end'))
        throw new Error(`the server ended a stream or connection: frame type ${type}, ${payload.toString('hex')}`);
      if ((type === types.headers || type === types.data) && (flags & endStream) !== 0) completed += 1;
    });
    // A copy, because the next read overwrites these bytes.
    this.#rest = Buffer.from(all.subarray(end));
    this.#inFlight -= completed;
    if (completed > 0 && !this.#load.isKeptAlive) {
      this.#push(goaway);
      this.#phase = 'end';
    }
    return completed;
  }

  /** Restores the connection's window once half of it is used up, as browsers do. */
  #consume(length: number): void {
    this.#consumed += length;
    if (this.#consumed < this.#load.frames.windowBytes / 2) return;
    const update = frame(types.windowUpdate, 0, [0, 0, 0, 0]);
    update.writeUInt32BE(this.#consumed, update.length - 4);
    this.#push(update);
    this.#consumed = 0;
  }
}

function expect200(flags: number, block: Buffer): void {
  if ((flags & paddedOrPriority) !== 0 || block[0] !== indexed200)
    throw new Error(`unexpected response: ${block.toString('hex')}`);
}

/** Returns the response to one request, without the headers that every Node server adds. */
export async function responseOverHttp2(
  { host, port }: LoadTarget,
  headers: Readonly<Record<string, string>>,
): Promise<CannedResponse & { readonly status: number }> {
  const session = connect(`https://${host}:${port}`, { rejectUnauthorized: false });
  try {
    const stream = session.request(headers);
    const response = new Promise<{ status: number; rawHeaders: string[] }>((resolve, reject) => {
      stream.on('error', reject);
      stream.on('response', (received, _flags, rawHeaders) => {
        const sent = rawHeaders.filter((_, at, all) => !['date', ':status'].includes(all[at - (at % 2)] ?? ''));
        resolve({ status: received[':status'] ?? 0, rawHeaders: sent });
      });
    });
    const body = Buffer.concat(await stream.toArray()).toString('latin1');
    return { ...(await response), body };
  } finally {
    session.close();
  }
}
