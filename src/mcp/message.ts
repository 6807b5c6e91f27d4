/** Reads the message or batch of a POST, and rejects what is not one before any tool runs. */
import { isJsonContentType, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { parseWeights, weightOf } from '../core/accept.ts';
import { errors, retryAfterOf } from '../core/errors.ts';
import { maxDepth, parseJson } from '../core/json.ts';
import type { RateName } from '../core/limits.ts';
import type { RequestContext } from '../core/request-context.ts';
import { variableOf } from '../core/settings.ts';

export const maxBodyBytes = 65_536;
export const maxBatch = 10;

export interface McpResponse {
  readonly status: number;
  /** Null if there is no body. */
  readonly mediaType: string | null;
  readonly body: string;
  /** Headers besides those of every response. */
  readonly headers?: Readonly<Record<string, string>>;
}

export const json = 'application/json';

const codes = { parseError: -32700, invalidRequest: -32600, unsupported: -32000, rateLimited: -32000 } as const;

/** HTTP statuses of messages that are rejected before any tool runs. */
export const rejectionStatuses = [400, 403, 404, 406, 413, 415, 429] as const;

export function reject(
  status: (typeof rejectionStatuses)[number],
  code: keyof typeof codes,
  message: string,
): McpResponse {
  return {
    status,
    mediaType: json,
    body: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: codes[code], message } }),
  };
}

export interface Received {
  /** A message or an array of messages, not validated. */
  readonly parsedBody: unknown;
  readonly messages: readonly JSONRPCMessage[];
}

/** The rate of messages of every kind; tool calls have another one besides. */
export const messageRates: readonly RateName[] = ['messages'];

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns a response instead if the request is rejected. Its first message counts before the body is parsed, so that a client without a
 * budget costs no work; the others count as soon as their number is known, and a batch that has begun is completed.
 */
export async function readMessages(context: RequestContext): Promise<Received | McpResponse> {
  const { platform, observed } = context;
  const rejection = rejectByHeaders(context) ?? (await rejectByRate(context));
  if (rejection !== null) {
    // A response beside an unread body may not reach the client.
    await context.body.read(0);
    return rejection;
  }
  const bytes = await context.body.read(maxBodyBytes);
  if (bytes === null)
    return reject(413, 'invalidRequest', `The body is larger than ${maxBodyBytes} bytes; send a smaller one.`);
  const text = decode(bytes);
  if (text === null) return reject(400, 'parseError', 'The body is not UTF-8; encode it as UTF-8.');
  const parsed = parseJson(text);
  if ('failure' in parsed)
    return parsed.failure === 'too_deep'
      ? reject(400, 'invalidRequest', `The body is nested more than ${maxDepth} levels deep; send fewer levels.`)
      : reject(400, 'parseError', 'The body is not JSON; send a JSON-RPC message.');
  const { value } = parsed;
  const messages = Array.isArray(value) ? value : [value];
  if (messages.length > maxBatch)
    return reject(
      400,
      'invalidRequest',
      `A batch holds at most ${maxBatch} messages, and this one has ${messages.length}; split it.`,
    );
  await Promise.all(messages.slice(1).map(() => platform.limit(messageRates, observed.rateKey)));
  return { parsedBody: value, messages };
}

async function rejectByRate({ platform, observed }: RequestContext): Promise<McpResponse | null> {
  const { isAllowed } = await platform.limit(messageRates, observed.rateKey);
  if (isAllowed) return null;
  const headers = { 'Retry-After': String(retryAfterOf('rate_limited')) };
  return { ...reject(429, 'rateLimited', errors.rate_limited.message), headers };
}

function rejectByHeaders({ observed, deployment }: RequestContext): McpResponse | null {
  const { headers, onLoopback, origin } = observed;
  if (onLoopback && !isOwnHost(new URL(origin).hostname, deployment.publicUrl))
    return reject(
      403,
      'unsupported',
      `Host not allowed: use localhost or set ${variableOf('publicUrl')} to the public URL.`,
    );
  // The protocol requires clients to accept two media types; this server needs only one of them.
  if (headers.accept && weightOf(parseWeights(headers.accept), json) === 0)
    return reject(406, 'unsupported', `Responses are ${json}; list it in Accept.`);
  if (!isJsonContentType(headers['content-type']))
    return reject(415, 'unsupported', `Unsupported media type; send the message as Content-Type: ${json}.`);
  if (!isUtf8(headers['content-type'] ?? ''))
    return reject(415, 'invalidRequest', 'The charset in Content-Type is not UTF-8; send UTF-8.');
  // An empty list is the same as none (RFC 9110 §5.6.1).
  if (!/^(?:[\s,]|identity(?![^\s,]))*$/i.test(headers['content-encoding'] ?? ''))
    return reject(415, 'invalidRequest', 'Content-Encoding is not supported; send the message without it.');
  return null;
}

/** Whether every `charset` parameter of this media type is UTF-8; JSON has no other (RFC 8259 §8.1). */
function isUtf8(contentType: string): boolean {
  const charsets = contentType.matchAll(/;\s*charset\s*=\s*("[^"]*"|[^\s;]*)/gi);
  return charsets.every(([, charset = '']) => /^"?utf-?8"?$/i.test(charset));
}

/** Null if the bytes are not UTF-8. */
function decode(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/**
 * A web page may resolve its own name to this machine and then call a server that only this machine can reach (DNS rebinding); its
 * Host header reveals that. The protocol requires a check of Origin instead, but every origin may call a public server.
 */
function isOwnHost(hostname: string, publicUrl: string | null): boolean {
  return (
    /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname) ||
    (publicUrl !== null && new URL(publicUrl).hostname === hostname)
  );
}

/** Members of a message, and of each object in it, besides the arguments of a tool: far more than any client sends. */
const maxMembers = { all: 512, each: 64 } as const;

/**
 * Removes the members above these numbers, the deepest and last ones first, after the arguments have been taken out. The library validates
 * and copies every member several times, although the server uses none but those that the protocol defines: 5,200 of them take 13 ms.
 */
export function dropExcessMembers(message: unknown): void {
  const nodes: unknown[] = [message];
  let left: number = maxMembers.all;
  for (const node of nodes) {
    if (typeof node !== 'object' || node === null) continue;
    const kept = Math.min(left, maxMembers.each);
    if (Array.isArray(node)) node.length = Math.min(node.length, kept);
    else for (const name of Object.keys(node).slice(kept)) Reflect.deleteProperty(node, name);
    const members = Object.values(node);
    left -= members.length;
    nodes.push(...members);
  }
}

/**
 * Some clients send null for what they omit: params, a cursor, a capability, an argument. Removes such members at every depth, except
 * for the id: a request without one would be a notification.
 */
export function dropNullMembers(message: unknown): void {
  const pending: unknown[] = [message];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    for (const [name, value] of Object.entries(node)) {
      if (value !== null) pending.push(value);
      else if (!Array.isArray(node) && !(node === message && name === 'id')) Reflect.deleteProperty(node, name);
    }
  }
}
