/** Reads the message or batch of a POST, and rejects what is not one before any tool runs. */
import { parseWeights, weightOf } from '../core/accept.ts';
import { errors } from '../core/errors.ts';
import { maxDepth, parseJson } from '../core/json.ts';
import type { RateName } from '../core/limits.ts';
import type { RequestContext } from '../core/request-context.ts';
import { variableOf } from '../core/settings.ts';
import { RpcError } from './rpc.ts';

export const maxBodyBytes = 65_536;
export const maxBatch = 10;

export const json = 'application/json';

/** The rate of messages of every kind; tool calls have another one besides. */
export const messageRates: readonly RateName[] = ['messages'];

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the message, or the messages of a batch; throws an RpcError if the request is rejected. Its first message counts before the body is
 * parsed, so that a client without a budget costs no work; the others count as soon as their number is known, and a batch that has begun
 * is completed.
 */
export async function readMessages(context: RequestContext): Promise<unknown> {
  const { platform, observed } = context;
  try {
    checkHeaders(context);
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
    throw new RpcError(
      'invalidRequest',
      `A batch has 1 to ${maxBatch} messages, and this one ${value.length}; split it.`,
    );
  await Promise.all(value.slice(1).map(() => platform.limit(messageRates, observed.rateKey)));
  return value;
}

function parse(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  const parsed = parseJson(text);
  if ('value' in parsed) return parsed.value;
  throw parsed.failure === 'too_deep'
    ? new RpcError('invalidRequest', `The body is nested more than ${maxDepth} levels deep; send fewer levels.`)
    : new RpcError('parseError', 'The body is not JSON; send a JSON-RPC message.');
}

function checkHeaders({ observed, deployment }: RequestContext): void {
  const { headers, onLoopback, origin } = observed;
  if (onLoopback && !isOwnHost(new URL(origin).hostname, deployment.publicUrl))
    throw new RpcError(
      'foreignHost',
      `Host not allowed: use localhost or set ${variableOf('publicUrl')} to the public URL.`,
    );
  // The protocol requires clients to accept two media types; this server needs only one of them.
  if (headers.accept && weightOf(parseWeights(headers.accept), json) === 0)
    throw new RpcError('notAcceptable', `Responses are ${json}; list it in Accept.`);
  const contentType = headers['content-type'] ?? '';
  if (!/^application\/json *(?:;|$)/i.test(contentType))
    throw new RpcError('invalidMediaType', `Unsupported media type; send the message as Content-Type: ${json}.`);
  if (!isUtf8(contentType))
    throw new RpcError('invalidEncoding', 'The charset in Content-Type is not UTF-8; send UTF-8.');
  // An empty list is the same as none (RFC 9110 §5.6.1).
  if (!/^(?:[\s,]|identity(?![^\s,]))*$/i.test(headers['content-encoding'] ?? ''))
    throw new RpcError('invalidEncoding', 'Content-Encoding is not supported; send the message without it.');
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
function isOwnHost(hostname: string, publicUrl: string | null): boolean {
  return (
    /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname) ||
    (publicUrl !== null && new URL(publicUrl).hostname === hostname)
  );
}
