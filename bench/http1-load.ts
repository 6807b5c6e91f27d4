/** Load on a server, from one thread that polls and never sleeps, at less CPU than any server takes. */
import { get as getPlain } from 'node:http';
import { get as getOverTls } from 'node:https';
import { type LoadClient, type LoadTarget, runLoad } from './load-clients.ts';
import type { CannedResponse } from './server.ts';
import { openPlain, openTls, type Pinned, pin, received, type Stream, socketAddress } from './system-calls.ts';

export interface Http1Load {
  readonly isTls: boolean;
  /** Whether requests share connections; otherwise each has a connection (and TLS handshake) of its own. */
  readonly isKeptAlive: boolean;
  /** Complete requests, sent in turn. */
  readonly requests: readonly string[];
  /** As many as keep the server busy; if absent, by kind. */
  readonly connections?: number;
}

/** A GET, or a POST if it has a body. Without `keepAlive` the server closes first, which leaves the client's ports free. */
export function requestText(
  path: string,
  headers: Readonly<Record<string, string>>,
  { body = null, isKeptAlive = true }: { readonly body?: string | null; readonly isKeptAlive?: boolean } = {},
): string {
  const sent = {
    ...headers,
    ...(isKeptAlive ? null : { Connection: 'close' }),
    ...(body === null ? null : { 'Content-Length': `${Buffer.byteLength(body)}` }),
  };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${body === null ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}

const keptConnections = 32;
const newConnections = 16;
const tlsHandshakes = 8;

export function createHttp1Load({ host, port }: LoadTarget, load: Http1Load) {
  const { isTls, isKeptAlive, requests } = load;
  const address = socketAddress(host, port);
  const pinned = requests.map((request) => pin(Buffer.from(request)));
  let at = 0;
  const context: Context = {
    isKeptAlive,
    open: () => (isTls ? openTls(address, 'http/1.1') : openPlain(address)),
    nextRequest: () => pinned[at++ % pinned.length] as Pinned,
  };
  const usual = isKeptAlive ? keptConnections : isTls ? tlsHandshakes : newConnections;
  return runLoad(Array.from({ length: load.connections ?? usual }, () => new Http1Client(context)));
}

interface Context {
  readonly isKeptAlive: boolean;
  readonly open: () => Stream;
  readonly nextRequest: () => Pinned;
}

/** At most one request at a time. */
class Http1Client implements LoadClient {
  readonly #context: Context;
  #stream: Stream | null = null;
  #phase: 'idle' | 'handshake' | 'send' | 'receive' | 'end' = 'idle';
  /** Bytes of a response that are missing; null before its head. */
  #missingBytes: number | null = null;

  constructor(context: Context) {
    this.#context = context;
  }

  get isBusy(): boolean {
    return this.#phase !== 'idle';
  }

  step(mayStart: boolean): number {
    return this.#continue(mayStart) ? 1 : 0;
  }

  /** Returns true after each complete request. */
  #continue(mayStart: boolean): boolean {
    if (this.#phase === 'idle') {
      if (!mayStart) return false;
      this.#phase = this.#stream === null ? 'handshake' : 'send';
    }
    this.#stream ??= this.#context.open();
    if (this.#phase === 'handshake') {
      if (this.#stream.handshake() === null) return false;
      this.#phase = 'send';
    }
    if (this.#phase === 'send') {
      if (this.#stream.send(this.#context.nextRequest()) === null) return false;
      this.#phase = 'receive';
      return false;
    }
    const length = this.#stream.receive();
    if (length === null) return false;
    if (this.#phase === 'end') return length === 0 && this.#finish();
    if (length === 0) throw new Error('a connection was closed before its response');
    this.#missingBytes = (this.#missingBytes ?? responseBytes(length)) - length;
    if (this.#missingBytes > 0) return false;
    if (this.#missingBytes < 0) throw new Error('a response is too long');
    this.#missingBytes = null;
    if (this.#context.isKeptAlive) return this.#finish();
    this.#phase = 'end';
    return false;
  }

  #finish(): true {
    this.#phase = 'idle';
    if (!this.#context.isKeptAlive) this.close();
    return true;
  }

  close(): void {
    this.#stream?.close();
    this.#stream = null;
  }
}

/** Returns the length of the response whose first `length` bytes were received; throws unless its status is 200. */
function responseBytes(length: number): number {
  const text = received.bytes.toString('latin1', 0, length);
  const headBytes = text.indexOf('\r\n\r\n') + 4;
  const bodyBytes = /\r\ncontent-length: (\d+)\r\n/i.exec(text)?.[1];
  if (!text.startsWith('HTTP/1.1 200 ') || headBytes < 4 || bodyBytes === undefined)
    throw new Error(`unexpected response: ${text.slice(0, 300)}`);
  return headBytes + Number(bodyBytes);
}

/** Returns the response to one request, without the headers that every Node server adds. */
export function responseTo({
  isTls = false,
  ...options
}: {
  readonly isTls?: boolean;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}): Promise<CannedResponse & { readonly status: number }> {
  const own = ['date', 'connection', 'keep-alive'];
  const get = isTls ? getOverTls : getPlain;
  return new Promise((resolve, reject) => {
    get({ ...options, setHost: false, agent: false, rejectUnauthorized: false }, async (incoming) => {
      const chunks = await incoming.toArray();
      const rawHeaders = incoming.rawHeaders.filter(
        (_, at, all) => !own.includes((all[at - (at % 2)] ?? '').toLowerCase()),
      );
      resolve({ status: incoming.statusCode ?? 0, rawHeaders, body: Buffer.concat(chunks).toString('latin1') });
    }).on('error', reject);
  });
}
