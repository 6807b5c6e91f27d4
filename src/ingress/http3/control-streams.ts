/** Reads the unidirectional streams of a client (RFC 9114 §6.2): its control stream, and QPACK's (RFC 9204 §4.2). */
import { varintAt, varintBytes } from '../../wire/varint.ts';
import { controlTypes, frameTypes, http2Settings, requestTypes, streamTypes } from './data/registries.ts';
import { ConnectionError } from './errors.ts';
import { type FrameHandler, FrameReader, frameCost, readVarints } from './frames.ts';

/** Longer than any frame that a control stream needs. */
const maxFrameBytes = 4_096;

type Consume = (bytes: Uint8Array) => void;

export interface ControlHandler {
  /** Bytes of the control stream after its type, before they are checked. */
  onControl(bytes: Uint8Array): void;
  /** Bytes without a meaning. */
  countUseless(bytes: number): void;
}

export class ControlStreams implements FrameHandler {
  hasSettings = false;
  readonly #handler: ControlHandler;
  /** Types of the streams that are open; there may be one of each. */
  readonly #open = new Set<number>();
  #goawayId = Number.POSITIVE_INFINITY;
  #maxPushId = -1;

  constructor(handler: ControlHandler) {
    this.#handler = handler;
  }

  /** Returns the reader of a new stream, which returns false if the stream is of no use, and may throw a `ConnectionError`. */
  createReader(): (bytes: Uint8Array, isLast: boolean) => boolean {
    let start: Uint8Array = new Uint8Array();
    let consume: Consume | null | undefined;
    return (bytes, isLast) => {
      let rest = bytes;
      if (consume === undefined) {
        start = Buffer.concat([start, bytes]);
        const length = varintBytes(start[0] ?? 0);
        // A stream may end before its type.
        if (start.length < length) return !isLast;
        consume = this.#consumerOf(varintAt(start, 0));
        rest = start.subarray(length);
      }
      if (consume === null) return false;
      consume(rest);
      if (isLast) throw new ConnectionError('closedCriticalStream');
      return true;
    };
  }

  /** Returns null for a type without a meaning. */
  #consumerOf(type: number): Consume | null {
    // Only servers push.
    if (type === streamTypes.push || this.#open.has(type)) throw new ConnectionError('streamCreationError');
    if (type > streamTypes.decoder) return null;
    this.#open.add(type);
    if (type === streamTypes.control) {
      const frames = new FrameReader(this);
      return (bytes) => {
        this.#handler.onControl(bytes);
        frames.push(bytes);
      };
    }
    const read = type === streamTypes.encoder ? readEncoderStream : createDecoderReader();
    return (bytes) => {
      this.#handler.countUseless(bytes.length);
      read(bytes);
    };
  }

  /** RFC 9114 §7.2. */
  begin(type: number, length: number) {
    this.#handler.countUseless(frameCost);
    if (!this.hasSettings && type !== frameTypes.settings) throw new ConnectionError('missingSettings');
    const isRepeated = type === frameTypes.settings && this.hasSettings;
    if (isRepeated || requestTypes.has(type)) throw new ConnectionError('frameUnexpected');
    if (!controlTypes.has(type)) return 'skip';
    if (length > maxFrameBytes) throw new ConnectionError('excessiveLoad');
    return 'whole';
  }

  frame(type: number, payload: Uint8Array): void {
    this.#handler.countUseless(payload.length);
    const values = readVarints(payload);
    if (type === frameTypes.settings) {
      this.hasSettings = true;
      const ids = values.filter((_, at) => at % 2 === 0);
      if (values.length % 2 === 1) throw new ConnectionError('frameError');
      if (new Set(ids).size < ids.length || ids.some((id) => http2Settings.has(id)))
        throw new ConnectionError('settingsError');
      return;
    }
    const [id] = values;
    if (id === undefined || values.length > 1) throw new ConnectionError('frameError');
    const isGoaway = type === frameTypes.goaway;
    const isInvalid = isGoaway ? id > this.#goawayId : id < this.#maxPushId;
    // We promise no push that a client could cancel.
    if (isInvalid || type === frameTypes.cancelPush) throw new ConnectionError('idError');
    if (isGoaway) this.#goawayId = id;
    else this.#maxPushId = id;
  }

  piece(_: Uint8Array | null, length: number): void {
    this.#handler.countUseless(length);
  }
}

/** Without a dynamic table, the only instruction sets its capacity to 0. */
function readEncoderStream(bytes: Uint8Array): void {
  if (bytes.some((byte) => byte !== 0x20)) throw new ConnectionError('encoderStreamError');
}

/** The only instruction cancels a stream; the others acknowledge entries of a dynamic table. */
function createDecoderReader(): Consume {
  let isWithinInteger = false;
  return (bytes) => {
    for (const byte of bytes) {
      if (isWithinInteger) isWithinInteger = byte >= 0x80;
      else if (byte >> 6 !== 1) throw new ConnectionError('decoderStreamError');
      else isWithinInteger = byte === 0x7f;
    }
  };
}
