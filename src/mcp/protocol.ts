/** The MCP protocol: validates requests of each version, lets the MCP library respond on transports without HTTP, and calls tools. */
import {
  CLIENT_CAPABILITIES_META_KEY as capabilitiesKey,
  createMcpHandler,
  type Implementation,
  CLIENT_INFO_META_KEY as infoKey,
  type JSONRPCMessage,
  PerRequestHTTPServerTransport,
  Server,
  type Transport,
  PROTOCOL_VERSION_META_KEY as versionKey,
} from '@modelcontextprotocol/server';
import { errors, retryAfterOf, ServiceError } from '../core/errors.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import type { ObservedRequest } from '../core/observed.ts';
import { unknownTool } from '../core/platform.ts';
import type { Deployment, RequestContext } from '../core/request-context.ts';
import { clip } from '../core/text.ts';
import { checkParams, clientTypes, findProblem, RpcError, type RpcRequest } from './message.ts';
import { handshakeVersions, instructionsOf, serverInfo, serverInfoOf, statelessVersions } from './server-info.ts';
import { definitionOf, type Tool, type ToolResult, toolRates } from './tool.ts';

/** The methods of a server with only tools, in versions with and without `initialize`. */
export const methods = {
  handshake: ['initialize', 'ping', 'tools/list', 'tools/call'],
  stateless: ['server/discover', 'tools/list', 'tools/call', 'subscriptions/listen'],
} as const satisfies Record<string, readonly string[]>;

/** A request that is valid in the versions that `kind` names. */
export interface Call {
  readonly kind: keyof typeof methods;
  readonly request: RpcRequest;
  readonly context: RequestContext;
  /** Set if it is a tool call above its rates: its result is the same for every client. */
  readonly isAboveRate?: boolean;
}

/** Validates a request; returns the kind of its version. */
export function kindOf(request: RpcRequest, { observed }: RequestContext, isBatch: boolean): Call['kind'] {
  const kind = isStateless(request, observed) ? 'stateless' : 'handshake';
  if (kind === 'stateless') {
    if (isBatch) throw new RpcError('invalidRequest', noBatches);
    checkStateless(request, observed);
  }
  const offered: readonly string[] = methods[kind];
  if (offered.includes(request.method)) checkParams(request);
  else {
    const problem = `There is no method "${clip(request.method)}"; use ${offered.join(', ')}.`;
    throw new RpcError(kind === 'stateless' ? 'methodNotFound' : 'unknownMethod', problem);
  }
  return kind;
}

const noBatches = `Protocol version ${statelessVersions.join(' and ')} has no batches; send each message by itself.`;

const isStatelessVersion = (version: unknown): boolean => statelessVersions.some((each) => each === version);

/** Whether a message states a version in its metadata. */
export const isSelfContained = (message: unknown): boolean =>
  isObject(message) && isObject(message.params) && isObject(message.params._meta) && versionKey in message.params._meta;

/** Whether a request is of a version without `initialize`, by its metadata or its header. */
const isStateless = (request: RpcRequest, { headers }: ObservedRequest): boolean =>
  isSelfContained(request) ||
  (request.method !== 'initialize' && isStatelessVersion(headers['mcp-protocol-version']?.trim()));

const anonymous = { name: '', version: '' };

/** Throws an RpcError unless the metadata of a request states what `initialize` would, and its headers agree with the body. */
function checkStateless({ method, params }: RpcRequest, { headers }: ObservedRequest): void {
  const meta = (params._meta ?? {}) as JsonObject;
  const problem =
    findProblem(meta, 'params._meta', { [versionKey]: 'string', [capabilitiesKey]: 'object', [infoKey]: 'object?' }) ??
    findProblem((meta[infoKey] ?? anonymous) as JsonObject, `params._meta.${infoKey}`, clientTypes);
  if (problem !== null) throw new RpcError('invalidMetadata', problem);
  const version = String(meta[versionKey]);
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

/**
 * Returns the function that hands each request to a server of its own, because a shared one has mixed up clients. It returns the result or
 * error, and rejects if the library ignores the request.
 */
export function createDispatch(tools: readonly Tool[], deployment: Deployment) {
  const instructions = instructionsOf(tools, deployment);
  const list = { tools: tools.map((tool) => definitionOf(tool, deployment)) };
  return async ({ kind, request, context, isAboveRate }: Call): Promise<JSONRPCMessage> => {
    const { promise, resolve, reject } = Promise.withResolvers<JSONRPCMessage>();
    const transport: Transport =
      kind === 'stateless'
        ? new PerRequestHTTPServerTransport({ classification })
        : { start: async () => {}, send: async () => {}, close: async () => {} };
    // The result is needed, not the `Response` that the library makes of it.
    transport.send = async (response) => resolve(response);
    // Only the responses to these state it; for the others, the URL of the request need not be parsed.
    const info = kind === 'stateless' || request.method === 'initialize' ? serverInfoOf(context) : serverInfo;
    const server = createServer(kind, info, instructions);
    // Handlers that are registered for a method get a copy of the message, which was validated again.
    server.fallbackRequestHandler = async ({ method }) => {
      if (method === 'tools/list') return list;
      return { ...(isAboveRate ? aboveRate : await callTool(tools, request, context)) };
    };
    // The library's own errors contain the message.
    const fail = (): void => reject(new Error('The MCP library did not answer a request.'));
    server.onerror = fail;
    server.onclose = fail;
    await server.connect(transport);
    transport.onmessage?.(reduce(kind, request), kind === 'stateless' ? { classification } : undefined);
    return promise;
  };
}

const createServer = (kind: Call['kind'], info: Implementation, instructions: string): Server =>
  new Server(info, {
    capabilities: { tools: { listChanged: false } },
    instructions,
    supportedProtocolVersions: [...(kind === 'stateless' ? statelessVersions : handshakeVersions)],
  });

const classification = { era: 'modern', revision: statelessVersions[0] } as const;

const clientInfo = { name: 'a client', version: '' };
const statelessMeta = { [versionKey]: statelessVersions[0], [capabilitiesKey]: {} };

/**
 * The members that the library uses. It validates and copies all others several times, 5,200 of them in 13 ms, and failed validations
 * keep their input in memory (closures of the result's accessors).
 */
function reduce(kind: Call['kind'], { id, method, params }: RpcRequest): JSONRPCMessage {
  const { protocolVersion } = params;
  const reduced = method === 'initialize' ? { protocolVersion, capabilities: {}, clientInfo } : {};
  return { jsonrpc: '2.0', id, method, params: kind === 'stateless' ? { ...reduced, _meta: statelessMeta } : reduced };
}

/** Responds to `subscriptions/listen`: the library's stream ends immediately, because no list ever changes. */
export async function listen({ request, context }: Call): Promise<Response> {
  const handler = createMcpHandler(() => createServer('stateless', serverInfoOf(context), ''), {
    legacy: 'reject',
    keepAliveMs: 0,
  });
  const headers = {
    'content-type': 'application/json',
    'mcp-protocol-version': statelessVersions[0],
    'mcp-method': request.method,
  };
  const parsedBody = { ...reduce('stateless', request), params: { notifications: {}, _meta: statelessMeta } };
  return handler.fetch(new Request(context.baseUrl, { method: 'POST', headers }), { parsedBody });
}

const findTool = (tools: readonly Tool[], { params }: RpcRequest): Tool | undefined =>
  tools.find(({ name }) => name === params.name);

/** Counts a tool call; returns whether it is within its rates. Each message of a batch counts, even if it names an unknown tool. */
export async function countCall(tools: readonly Tool[], { request, context }: Call): Promise<boolean> {
  const { platform, observed } = context;
  const tool = findTool(tools, request);
  const { isAllowed } = await platform.limit(toolRates(tool?.isLookup ?? false), observed.rateKey);
  // Here, because a call above its rates gets a stored result.
  if (!isAllowed) platform.countToolCall(tool?.name ?? unknownTool, 'rate_limited');
  return isAllowed;
}

/** Calls a tool, and turns its failure into its result. Throws an RpcError for an unknown tool. */
async function callTool(tools: readonly Tool[], request: RpcRequest, context: RequestContext): Promise<ToolResult> {
  const { platform } = context;
  const tool = findTool(tools, request);
  if (tool === undefined) {
    platform.countToolCall(unknownTool, 'invalid_query');
    throw new RpcError('invalidParams', 'No tool has this name; request tools/list for the names.');
  }
  try {
    const result = await tool.run(request.params.arguments ?? {}, context);
    platform.countToolCall(tool.name, 'ok');
    return result;
  } catch (error) {
    const isExpected = error instanceof ServiceError;
    if (!isExpected) platform.report(error);
    const failure = isExpected ? error : new ServiceError('internal_error');
    platform.countToolCall(tool.name, failure.code);
    return toErrorResult(failure);
  }
}

const sharedLimit = `${errors.rate_limited.message} Users of one assistant may share the IP address.`;

/** A sentence for the model, and its code and time for programs. */
function toErrorResult({ code, message }: ServiceError): ToolResult {
  const retryAfterSeconds = retryAfterOf(code);
  return {
    content: [{ type: 'text', text: message }],
    isError: true,
    _meta: { code, ...(retryAfterSeconds !== null && { retryAfterSeconds }) },
  };
}

const aboveRate = toErrorResult(new ServiceError('rate_limited', sharedLimit));
