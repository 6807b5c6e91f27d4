/** The MCP protocol: validates requests of each version, lets the MCP library respond on transports without HTTP, and calls tools. */
import {
  CLIENT_CAPABILITIES_META_KEY as capabilitiesKey,
  createMcpHandler,
  type Implementation,
  CLIENT_INFO_META_KEY as infoKey,
  type JSONRPCMessage,
  PerRequestHTTPServerTransport,
  type Result,
  Server,
  type ServerOptions,
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

/** Servers that wait for requests, at most: calls that only compute need one. */
const maxIdleServers = 16;

/**
 * Returns the function that hands each request to a server that has no other one, because a shared one has mixed up clients. It returns the
 * result or error, and rejects if the library ignores the request.
 */
export function createDispatch(tools: readonly Tool[], deployment: Deployment) {
  const instructions = instructionsOf(tools, deployment);
  const list = { tools: tools.map((tool) => definitionOf(tool, deployment)) };
  const resultOf: ServerParts['resultOf'] = async ({ request, context, isAboveRate }: Call) => {
    if (request.method === 'tools/list') return list;
    return { ...(isAboveRate ? aboveRate : await callTool(tools, request, context)) };
  };
  const parts = { instructions, resultOf };
  const idle: Readonly<Record<Call['kind'], ConnectedServer[]>> = { handshake: [], stateless: [] };
  return async (call: Call): Promise<JSONRPCMessage> => {
    const { kind, request, context } = call;
    // `initialize` changes its server: the version that it negotiates applies from then on.
    if (request.method === 'initialize') return new ConnectedServer(kind, serverInfoOf(context), parts).respondTo(call);
    const server = idle[kind].pop() ?? new ConnectedServer(kind, serverInfo, parts);
    // One that fails is not used again.
    const response = await server.respondTo(call);
    if (idle[kind].length < maxIdleServers) idle[kind].push(server);
    return response;
  };
}

const optionsOf = (kind: Call['kind'], instructions: string): ServerOptions => ({
  capabilities: { tools: { listChanged: false } },
  instructions,
  supportedProtocolVersions: [...(kind === 'stateless' ? statelessVersions : handshakeVersions)],
});

interface ServerParts {
  readonly instructions: string;
  readonly resultOf: (call: Call) => Promise<Result>;
}

/**
 * A server of the library, on a transport without HTTP. It handles one request after another: to create a server and a transport for each
 * takes a quarter of a call, and V8 keeps what the library's functions refer to until a collection of everything, also the request.
 */
class ConnectedServer extends Server {
  readonly #kind: Call['kind'];
  readonly #transport: Transport;
  readonly #resultOf: ServerParts['resultOf'];
  /** Null between two requests: nothing of a request is kept. */
  #current: (PromiseWithResolvers<JSONRPCMessage> & { readonly call: Call }) | null = null;
  /** The id of the current request for the library, different for each, so that no response can be that to another request. */
  #number = 0;

  constructor(kind: Call['kind'], info: Implementation, { instructions, resultOf }: ServerParts) {
    super(info, optionsOf(kind, instructions));
    this.#kind = kind;
    this.#resultOf = resultOf;
    this.#transport =
      kind === 'stateless'
        ? new PerRequestHTTPServerTransport({ classification })
        : { start: async () => {}, send: async () => {}, close: async () => {} };
    // The result is needed, not the `Response` that the library makes of it.
    this.#transport.send = this.#settle;
    // Handlers that are registered for a method get a copy of the message, which was validated again.
    this.fallbackRequestHandler = async () => {
      if (this.#current === null) throw new Error('The MCP library called a tool without a request.');
      return this.#resultOf(this.#current.call);
    };
    this.onerror = this.#fail;
    this.onclose = this.#fail;
  }

  async respondTo(call: Call): Promise<JSONRPCMessage> {
    if (this.transport === undefined) await this.connect(this.#transport);
    this.#number += 1;
    const current = { ...Promise.withResolvers<JSONRPCMessage>(), call };
    this.#current = current;
    const message = reduce(this.#kind, call.request, this.#number);
    this.#transport.onmessage?.(message, this.#kind === 'stateless' ? { classification } : undefined);
    return current.promise;
  }

  /** The library adds it to each result of the stateless versions; elsewhere, only `initialize` states it. */
  protected override _outboundServerInfo(): Implementation | undefined {
    return this.#current === null || this.#kind !== 'stateless' ? undefined : serverInfoOf(this.#current.call.context);
  }

  readonly #settle = async (response: JSONRPCMessage): Promise<void> => {
    const current = this.#current;
    if (current === null || !('id' in response) || response.id !== this.#number) return;
    this.#current = null;
    current.resolve({ ...response, id: current.call.request.id });
  };

  /** The library's own errors contain the message. */
  readonly #fail = (): void => {
    this.#current?.reject(new Error('The MCP library did not answer a request.'));
    this.#current = null;
  };
}

const classification = { era: 'modern', revision: statelessVersions[0] } as const;

const clientInfo = { name: 'a client', version: '' };
const statelessMeta = { [versionKey]: statelessVersions[0], [capabilitiesKey]: {} };

/**
 * The members that the library uses. It validates and copies all others several times, 5,200 of them in 13 ms, and failed validations
 * keep their input in memory (closures of the result's accessors).
 */
function reduce(kind: Call['kind'], { method, params }: RpcRequest, id: number): JSONRPCMessage {
  const { protocolVersion } = params;
  const reduced = method === 'initialize' ? { protocolVersion, capabilities: {}, clientInfo } : {};
  return { jsonrpc: '2.0', id, method, params: kind === 'stateless' ? { ...reduced, _meta: statelessMeta } : reduced };
}

/** Responds to `subscriptions/listen`: the library's stream ends immediately, because no list ever changes. */
export async function listen({ request, context }: Call): Promise<Response> {
  const handler = createMcpHandler(() => new Server(serverInfoOf(context), optionsOf('stateless', '')), {
    legacy: 'reject',
    keepAliveMs: 0,
  });
  const headers = {
    'content-type': 'application/json',
    'mcp-protocol-version': statelessVersions[0],
    'mcp-method': request.method,
  };
  const parsedBody = {
    ...reduce('stateless', request, 0),
    id: request.id,
    params: { notifications: {}, _meta: statelessMeta },
  };
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
