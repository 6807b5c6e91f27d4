/** The versions of the MCP protocol: which version a request has, and whether the request is valid in it. */
import { isObject, type JsonObject } from '../core/json.ts';
import type { ObservedRequest } from '../core/observed.ts';
import type { RequestContext } from '../core/request-context.ts';
import { clip } from '../core/text.ts';
import { clientTypes, findProblem, RpcError, type RpcRequest, validateParams } from './message.ts';
import { statelessVersions } from './server-info.ts';

/** Names in `_meta` of requests and results (revision 2026-07-28). */
export const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  client: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  server: 'io.modelcontextprotocol/serverInfo',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The methods of a server with only tools, in versions with and without `initialize`. */
export const methods = {
  handshake: ['initialize', 'ping', 'tools/list', 'tools/call'],
  stateless: ['server/discover', 'tools/list', 'tools/call', 'subscriptions/listen'],
} as const satisfies Record<string, readonly string[]>;

type Kind = keyof typeof methods;

/** A request that is valid in the versions that `kind` names. */
export interface Call {
  readonly kind: Kind;
  readonly method: (typeof methods)[Kind][number];
  readonly request: RpcRequest;
  readonly context: RequestContext;
}

/** Throws an RpcError if the request is not valid in its version. */
export function toCall(request: RpcRequest, context: RequestContext, isBatch: boolean): Call {
  const { observed } = context;
  const kind = isStateless(request, observed) ? 'stateless' : 'handshake';
  if (kind === 'stateless') {
    if (isBatch) throw new RpcError('invalidRequest', noBatches);
    validateStateless(request, observed);
  }
  const offered: readonly Call['method'][] = methods[kind];
  const method = offered.find((each) => each === request.method);
  if (method === undefined) {
    const problem = `There is no method "${clip(request.method)}"; use ${offered.join(', ')}.`;
    throw new RpcError(kind === 'stateless' ? 'methodNotFound' : 'unknownMethod', problem);
  }
  validateParams(request);
  return { kind, method, request, context };
}

const noBatches = `Protocol version ${statelessVersions.join(' and ')} has no batches; send each message by itself.`;

const isStatelessVersion = (version: unknown): boolean => statelessVersions.some((each) => each === version);

/** Whether a message states a version in its metadata. */
export const isSelfContained = (message: unknown): boolean =>
  isObject(message) &&
  isObject(message.params) &&
  isObject(message.params._meta) &&
  metaKeys.version in message.params._meta;

/** Whether a request is of a version without `initialize`, by its metadata or its header. */
const isStateless = (request: RpcRequest, { headers }: ObservedRequest): boolean =>
  isSelfContained(request) ||
  (request.method !== 'initialize' && isStatelessVersion(headers['mcp-protocol-version']?.trim()));

const anonymous = { name: '', version: '' };

/** Throws an RpcError unless the metadata of a request states what `initialize` would, and its headers agree with the body. */
function validateStateless({ method, params }: RpcRequest, { headers }: ObservedRequest): void {
  const meta = (params._meta ?? {}) as JsonObject;
  const problem =
    findProblem(meta, 'params._meta', {
      [metaKeys.version]: 'string',
      [metaKeys.capabilities]: 'object',
      [metaKeys.client]: 'object?',
    }) ??
    findProblem((meta[metaKeys.client] ?? anonymous) as JsonObject, `params._meta.${metaKeys.client}`, clientTypes);
  if (problem !== null) throw new RpcError('invalidMetadata', problem);
  const version = String(meta[metaKeys.version]);
  // An unknown version may require other headers.
  const others = isStatelessVersion(version) ? { 'Mcp-Method': method, ...nameOf(method, params) } : {};
  for (const [name, value] of Object.entries({ 'MCP-Protocol-Version': version, ...others })) {
    const sent = headers[name.toLowerCase()];
    if (sent !== undefined && decode(sent.trim()) === value) continue;
    const problem = sent === undefined ? 'is missing' : 'does not agree with the body';
    throw new RpcError('headerMismatch', `The header ${name} ${problem}; send the value in the body.`);
  }
  if (isStatelessVersion(version)) return;
  const data = { supported: statelessVersions, requested: version };
  throw new RpcError('unsupportedVersion', unsupportedVersion, { data });
}

const unsupportedVersion = `Unsupported protocol version; use ${statelessVersions.join(' or ')}.`;

const nameOf = (method: string, { name }: JsonObject) =>
  method === 'tools/call' && typeof name === 'string' ? { 'Mcp-Name': name } : {};

/** Values that a header cannot contain are sent in Base64; null if that is not valid. */
function decode(value: string): string | null {
  const base64 = /^=\?base64\?(.*)\?=$/i.exec(value)?.[1];
  if (base64 === undefined) return value;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0)),
    );
  } catch {
    return null;
  }
}
