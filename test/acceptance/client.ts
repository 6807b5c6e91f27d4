/** Clients of the acceptance suite: the same requests over each HTTP version, by Node and by curl. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type Agent, request as requestHttp } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Reply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface RequestOptions {
  readonly method?: string;
  /** An array sends the header once for each value. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
  /** Whether Content-Length is sent. */
  readonly declared?: boolean;
}

/** One way to send requests to an edge. */
export interface Client {
  readonly name: string;
  /** The expected `http.protocol`. */
  readonly protocol: string;
  readonly secure: boolean;
  /** Methods and paths that the client does not send as they are, or whose responses it does not pass on. */
  readonly changes?: readonly string[];
  request(path: string, options?: RequestOptions): Promise<Reply>;
}

/** `from` is the local address; by default the system chooses. Each request has its own connection. */
export const http1Client = (origin: string, from?: string): Client => http1ClientWith(origin, from, false);

/** Sends requests on connections that the server has kept, because a handshake takes several times as long as a request. */
export const keptHttp1Client = (origin: string, from?: string): Client =>
  // Without stored sessions, each handshake is complete.
  http1ClientWith(origin, from, new HttpsAgent({ keepAlive: true, maxCachedSessions: 0 }));

function http1ClientWith(origin: string, from: string | undefined, agent: Agent | false): Client {
  const secure = origin.startsWith('https:');
  const send = secure ? requestHttps : requestHttp;
  const request: Client['request'] = (path, sentOptions = {}) => {
    const { method = 'GET', headers = {}, body: sent = '', declared = true } = sentOptions;
    return new Promise((resolve, reject) => {
      const framing = sent === '' ? {} : declared ? lengthOf(sent) : { 'transfer-encoding': 'chunked' };
      const own = { method, headers: { ...headers, ...framing }, agent, rejectUnauthorized: false };
      const options = from === undefined ? own : { ...own, localAddress: from };
      const outgoing = send(origin + path, options, async (response) => {
        const body = Buffer.concat(await response.toArray()).toString();
        const fields = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(fields), body });
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // The server may close a kept connection at the moment of the next request.
        if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(request(path, sentOptions));
        else reject(error);
      });
      outgoing.end(sent);
    });
  };
  return { name: `Node, ${secure ? 'HTTPS' : 'HTTP'}/1.1`, protocol: 'HTTP/1.1', secure, request };
}

export function http2Client(origin: string, from?: string): Client {
  return http2ClientOn(() => {
    const session = openSession(origin, from);
    return { session, release: () => session.destroy() };
  });
}

/** Sends all requests on one connection, and opens another only if the server has closed it. */
export function keptHttp2Client(origin: string, from?: string): Client {
  let kept: ClientHttp2Session | null = null;
  return http2ClientOn(() => {
    if (kept === null || kept.closed || kept.destroyed) {
      kept = openSession(origin, from);
      // The edge keeps the process alive until its tests have ended.
      kept.unref();
    }
    return { session: kept, release: () => {} };
  });
}

function openSession(origin: string, localAddress?: string): ClientHttp2Session {
  const session = connectHttp2(origin, {
    rejectUnauthorized: false,
    ...(localAddress && { localAddress }),
  });
  // Each stream reports it too.
  return session.on('error', () => {});
}

function http2ClientOn(open: () => { session: ClientHttp2Session; release(): void }): Client {
  return {
    name: 'Node, HTTPS/2',
    protocol: 'HTTP/2',
    secure: true,
    request: (path, { method = 'GET', headers = {}, body: sent = '', declared = true } = {}) =>
      new Promise((resolve, reject) => {
        const { session, release } = open();
        const framing = sent === '' || !declared ? {} : lengthOf(sent);
        const options = sent === '' ? {} : { endStream: false };
        const stream = session.request({ ':path': path, ':method': method, ...headers, ...framing }, options);
        if (sent !== '') stream.end(sent);
        let received: Record<string, string> = {};
        stream.on('response', (fields) => {
          received = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
        });
        stream.on('error', reject);
        stream.toArray().then((chunks) => {
          release();
          resolve({ status: Number(received[':status']), headers: received, body: Buffer.concat(chunks).toString() });
        }, reject);
      }),
  };
}

const lengthOf = (body: string) => ({ 'content-length': String(Buffer.byteLength(body)) });

/** What curl prints after each response. */
const mark = '\n-- end of the response --\n';

type CurlOption = readonly [name: string, value?: string];

interface CurlRequest {
  readonly options: readonly CurlOption[];
  readonly body: string;
  readonly reply: PromiseWithResolvers<Reply>;
}

/** The curl command, as users run it. One process sends all requests that wait when the one before it has ended: a start takes longer than a request. */
export function curlClient(origin: string, version: '1.1' | '2'): Client {
  const secure = origin.startsWith('https:');
  let waiting: CurlRequest[] = [];
  let isRunning = false;
  const runWaiting = async (): Promise<void> => {
    const requests = waiting;
    waiting = [];
    await sendWithCurl(requests);
    if (waiting.length > 0) setImmediate(runWaiting);
    else isRunning = false;
  };
  return {
    name: `curl, ${secure ? 'HTTPS' : 'HTTP'}/${version}`,
    protocol: `HTTP/${version}`,
    secure,
    request(path, { method = 'GET', headers = {}, body = '', declared = true } = {}) {
      const framing = body === '' || declared ? [] : ['Transfer-Encoding: chunked'];
      const sent = Object.entries(headers).flatMap(([name, values]) =>
        [values].flat().map((value) => `${name}: ${value}`),
      );
      const how: readonly CurlOption[] = method === 'HEAD' ? [['head']] : [['include'], ['request', method]];
      const options: readonly CurlOption[] = [
        ...how,
        ['insecure'],
        [`http${version}`],
        ...[...sent, ...framing].map((field) => ['header', field] as const),
        ['write-out', mark],
        ['url', origin + path],
      ];
      const reply = Promise.withResolvers<Reply>();
      waiting.push({ options, body, reply });
      if (!isRunning) setImmediate(runWaiting);
      isRunning = true;
      return reply.promise;
    },
  };
}

/** Sends requests in their order with one process, on the same connection while the server keeps it. */
async function sendWithCurl(requests: readonly CurlRequest[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-curl-'));
  const config = requests.map(({ options, body }, index) => {
    // A line of the configuration has at most 100 KB.
    const file = join(folder, `${index}`);
    if (body !== '') writeFileSync(file, body);
    return [...options, ...(body === '' ? [] : [['data-binary', `@${file}`] as const])].map(configLine).join('\n');
  });
  const child = spawn('curl', ['--silent', '--show-error', '--fail-early', '--config', '-']);
  child.stdin.end(config.join('\nnext\n'));
  const [output = [], errors = []] = await Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
  rmSync(folder, { recursive: true });
  const replies = Buffer.concat(output).toString().split(mark);
  // What follows the last mark.
  const rest = replies.pop();
  for (const [index, { reply }] of requests.entries()) {
    const text = replies[index];
    if (text === undefined) reply.reject(new Error(`curl: ${Buffer.concat(errors)}${rest}`));
    // Before a large body it waits for 100 Continue (RFC 9110 §10.1.1).
    else reply.resolve(parseReply(text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')));
  }
}

function configLine([name, value]: CurlOption): string {
  if (value === undefined) return name;
  const escaped = value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
  return `${name} = "${escaped}"`;
}

/** Parses a response as sent (HTTP/1.1) or as curl prints it. */
export function parseReply(output: string): Reply {
  const end = output.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = output.slice(0, end).split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: output.slice(end + 4),
  };
}
