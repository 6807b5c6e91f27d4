/** JSON-RPC 2.0: reads the messages of a POST, rejects anything else before a tool runs, and formats errors. */
import { parseWeights, weightOf } from '../core/accept.ts';
import { errors } from '../core/errors.ts';
import { isObject, type JsonObject, maxDepth, parseJson, readMember } from '../core/json.ts';
import type { RateName } from '../core/limits.ts';
import type { RequestContext } from '../core/request-context.ts';
import { variableOf } from '../core/settings.ts';

export const maxBodyBytes = 65_536;
export const maxBatch = 10;
/** Values in a body, with those in lists and objects: twice as many as any tool accepts. Reading 10,000 takes several milliseconds. */
export const maxValues = 2_048;

export const json = 'application/json';

/** What clients must accept, as the official ones write it. To parse it and Content-Type takes as long as all else that reads a message. */
const usualAccept = `${json}, text/event-stream`;

/** The rate of messages of every kind; tool calls have others besides. */
export const messageRates: readonly RateName[] = ['messages'];

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Counts and reads the message, or the messages of a batch; throws an RpcError if the request is rejected. Its first message counts before the body is
 * parsed, so that a client without a budget costs no work; the others count as soon as their number is known, and a batch that has begun
 * is completed.
 */
export async function countAndReadMessages(context: RequestContext): Promise<unknown> {
  const { platform, observed } = context;
  try {
    validateHeaders(context);
    const { isAllowed } = await platform.limit(messageRates, observed.rateKey);
    if (!isAllowed) throw new RpcError('rateLimited', errors.rate_limited.message);
  } catch (error) {
    // A response beside an unread body may not reach the client.
    await context.body.read(0);
    throw error;
  }
  const bytes = await context.body.read(maxBodyBytes);
  if (bytes === null)
    throw new RpcError('tooLarge', `The body is larger than ${maxBodyBytes} bytes; send a smaller one.`);
  const value = parse(bytes);
  if (!Array.isArray(value)) return value;
  if (value.length === 0 || value.length > maxBatch)
    throw invalid(`A batch has 1 to ${maxBatch} messages, and this one ${value.length}; split it.`);
  await Promise.all(value.slice(1).map(() => platform.limit(messageRates, observed.rateKey)));
  return value;
}

function parse(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  const parsed = parseJson(text, maxValues);
  if ('value' in parsed) return parsed.value;
  if (parsed.failure === 'malformed')
    throw new RpcError('parseError', 'The body is not JSON; send a JSON-RPC message.');
  const problem =
    parsed.failure === 'too_deep'
      ? `The body is nested more than ${maxDepth} levels deep; send fewer levels.`
      : `The body has more than ${maxValues} values; send fewer.`;
  throw new RpcError('invalidRequest', problem, { message: { id: readMember(text, 'id') } });
}

function validateHeaders({ observed, deployment }: RequestContext): void {
  const { headers, onLoopback, origin } = observed;
  if (onLoopback && !isOwnHost(new URL(origin).hostname, deployment.publicUrl))
    throw new RpcError('foreignHost', foreignHost);
  // The protocol requires clients to accept two media types; this server needs only one of them.
  if (headers.accept && headers.accept !== usualAccept && weightOf(parseWeights(headers.accept), json) === 0)
    throw new RpcError('notAcceptable', `Responses are ${json}; list it in Accept.`);
  const contentType = headers['content-type'] ?? '';
  if (contentType !== json) validateContentType(contentType);
  // An empty list is the same as none (RFC 9110 §5.6.1).
  if (!/^(?:[\s,]|identity(?![^\s,]))*$/i.test(headers['content-encoding'] ?? ''))
    throw new RpcError('invalidEncoding', 'Content-Encoding is not supported; send the message without it.', {
      headers: { 'Accept-Encoding': 'identity' },
    });
}

function validateContentType(contentType: string): void {
  const headers = { Accept: json };
  if (!/^application\/json *(?:;|$)/i.test(contentType)) {
    const problem = `Unsupported media type; send the message as Content-Type: ${json}.`;
    throw new RpcError('invalidMediaType', problem, { headers });
  }
  if (!isUtf8(contentType))
    throw new RpcError('invalidEncoding', 'The charset in Content-Type is not UTF-8; send UTF-8.', { headers });
}

/** Whether every `charset` parameter of this media type is UTF-8; JSON has no other (RFC 8259 §8.1). */
function isUtf8(contentType: string): boolean {
  const charsets = contentType.matchAll(/;\s*charset\s*=\s*("[^"]*"|[^\s;]*)/gi);
  return charsets.every(([, charset = '']) => /^"?utf-?8"?$/i.test(charset));
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new RpcError('parseError', 'The body is not UTF-8; encode it as UTF-8.');
  }
}

/**
 * A web page may resolve its own name to this machine and then call a server that only this machine can reach (DNS rebinding); its
 * Host header reveals that. The protocol requires a check of Origin instead, but every origin may call a public server.
 */
const isOwnHost = (hostname: string, publicUrl: string | null): boolean =>
  // The last one is this machine for programs in a container of Docker; the reserved domain internal has no other names.
  /^(?:localhost|127\.[\d.]+|\[::1\]|host\.docker\.internal)$/.test(hostname) ||
  (publicUrl !== null && new URL(publicUrl).hostname === hostname);

const foreignHost = `Host not allowed: use localhost or set ${variableOf('publicUrl')} to the public URL.`;

/** Code and HTTP status of each kind of error; the status counts for a message outside a batch. */
const reasons = {
  parseError: [-32700, 400],
  invalidRequest: [-32600, 400],
  tooLarge: [-32600, 413],
  invalidEncoding: [-32600, 415],
  methodNotFound: [-32601, 404],
  /** In handshake versions, and for params, clients expect status 200. */
  unknownMethod: [-32601, 200],
  invalidParams: [-32602, 200],
  invalidMetadata: [-32602, 400],
  unsupported: [-32000, 400],
  foreignHost: [-32000, 403],
  notAcceptable: [-32000, 406],
  invalidMediaType: [-32000, 415],
  rateLimited: [-32000, 429],
  // MCP assigns these; JSON-RPC the others, of which it leaves -32000 to servers.
  headerMismatch: [-32020, 400],
  unsupportedVersion: [-32022, 400],
} as const;

export const errorStatuses: ReadonlySet<number> = new Set(
  Object.values(reasons).flatMap(([, status]) => (status === 200 ? [] : [status])),
);

interface RpcErrorDetails {
  readonly data?: object;
  readonly message?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error of the protocol; its message states what to change. */
export class RpcError extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: object | undefined;
  /** What is readable of the message that it rejects, if its place does not know the message. */
  readonly rejected: unknown;
  /** Headers of the response: what the server would have accepted (RFC 9110 §15.5.16). */
  readonly headers: Readonly<Record<string, string>>;

  constructor(reason: keyof typeof reasons, problem: string, { data, message, headers = {} }: RpcErrorDetails = {}) {
    super(problem);
    [this.code, this.status] = reasons[reason];
    this.data = data;
    this.rejected = message;
    this.headers = headers;
  }
}

type Id = string | number;

export interface RpcRequest {
  readonly id: Id;
  readonly method: string;
  readonly params: JsonObject;
}

/** JSON.parse rounds larger integers, so that the response would have another id. */
const isId = (id: unknown): id is Id => typeof id === 'string' || Number.isSafeInteger(id);

const idProblem = `id must be a string or an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}.`;

/** Returns null for a notification or a response, which get no response. Throws an RpcError for anything else. */
export function readRequest(message: unknown): RpcRequest | null {
  if (!isObject(message)) throw invalid('A message must be an object: {"jsonrpc": "2.0", "id": 1, "method": "…"}.');
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== '2.0') throw invalid('jsonrpc must be "2.0".');
  if (id !== undefined && !isId(id)) throw invalid(idProblem);
  if (method === undefined && id !== undefined && (isObject(message.result) || isObject(message.error))) return null;
  if (typeof method !== 'string') throw invalid('method must be a string, such as "tools/list".');
  // Some clients send null for what they omit.
  if (!isObject(params ?? {})) throw invalid('params must be an object.');
  if (isObject(params) && !isObject(params._meta ?? {})) throw invalid('params._meta must be an object.');
  if (id === undefined) return null;
  return { id, method, params: (params ?? {}) as JsonObject };
}

const invalid = (problem: string) => new RpcError('invalidRequest', problem);

const nouns = { string: 'a string', object: 'an object' } as const;

type MemberType = keyof typeof nouns | `${keyof typeof nouns}?`;

/** Finds a member of another type; those with `?` may be absent or null. `path` is the name of the object. */
export function findProblem(
  object: JsonObject,
  path: string,
  types: Readonly<Record<string, MemberType>>,
): string | null {
  for (const [name, type] of Object.entries(types)) {
    const value = object[name] ?? undefined;
    if (value === undefined && type.endsWith('?')) continue;
    const expected = type.startsWith('string') ? 'string' : 'object';
    if (expected === 'string' ? typeof value === 'string' : isObject(value)) continue;
    return `${path}.${name} ${value === undefined ? 'is required:' : 'must be'} ${nouns[expected]}.`;
  }
  return null;
}

/** The members of params by method, as far as a server with only tools reads them. */
const paramTypes: Readonly<Record<string, Readonly<Record<string, MemberType>>>> = {
  initialize: { protocolVersion: 'string', capabilities: 'object', clientInfo: 'object' },
  'tools/list': { cursor: 'string?' },
  'tools/call': { name: 'string', arguments: 'object?' },
  'subscriptions/listen': { notifications: 'object' },
};

export const clientTypes = { name: 'string', version: 'string' } as const;

/** Throws an RpcError unless the params fit the method. */
export function validateParams({ method, params }: RpcRequest): void {
  const { clientInfo, cursor } = params;
  const problem =
    findProblem(params, 'params', paramTypes[method] ?? {}) ??
    (method === 'initialize' ? findProblem(clientInfo as JsonObject, 'params.clientInfo', clientTypes) : null) ??
    (method === 'tools/list' && typeof cursor === 'string' ? unknownCursor : null);
  if (problem !== null) throw new RpcError('invalidParams', problem);
}

const unknownCursor = 'Unknown cursor; the list of tools has one page, omit it.';

/** The response to a message, which may be anything, with an error. */
export function formatError(message: unknown, { code, message: problem, data }: RpcError): string {
  const id = isObject(message) && isId(message.id) ? message.id : null;
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: problem, ...(data !== undefined && { data }) } });
}
