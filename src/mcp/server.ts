/** The MCP server: a function from a POST to its response, in every protocol version. */
import { retryAfterOf } from '../core/errors.ts';
import type { Deployment, RequestContext } from '../core/request-context.ts';
import { clip } from '../core/text.ts';
import { json, type McpResponse, readMessages } from './message.ts';
import { type Call, createDispatch, listen, methods } from './protocol.ts';
import { checkParams, formatError, isObject, RpcError, type RpcRequest, readRequest } from './rpc.ts';
import { handshakeVersions, statelessVersions } from './server-info.ts';
import { checkStateless, isSelfContained, isStateless } from './stateless.ts';
import type { Tool } from './tool.ts';

export type McpServer = (context: RequestContext) => Promise<McpResponse>;

/** Its responses are complete: no stream stays open, and it stores only texts that every client gets. */
export function createMcpServer(tools: readonly Tool[]): McpServer {
  const dispatch = createDispatch(tools);
  const store = createStore();
  /** Returns null if the message needs no response: without sessions, notifications have no effect. */
  const respond = async (message: unknown, context: RequestContext, isBatch: boolean): Promise<McpResponse | null> => {
    try {
      const request = readRequest(message);
      if (request === null) return null;
      const call = { kind: kindOf(request, context, isBatch), request, context };
      if (request.method === 'subscriptions/listen') return await listen(call);
      return await store(call, async () => ({
        status: 200,
        mediaType: json,
        body: JSON.stringify(await dispatch(call)),
      }));
    } catch (error) {
      return toResponse(error, message);
    }
  };
  return async (context) => {
    try {
      const received = await readMessages(context);
      checkVersion(received, context);
      if (!Array.isArray(received)) return (await respond(received, context, false)) ?? accepted;
      const responses = await Promise.all(received.map((message) => respond(message, context, true)));
      const bodies = responses.flatMap((response) => response?.body ?? []);
      return bodies.length === 0 ? accepted : { status: 200, mediaType: json, body: `[${bodies.join(',')}]` };
    } catch (error) {
      return toResponse(error, null);
    }
  };
}

const accepted: McpResponse = { status: 202, mediaType: null, body: '' };

/** Validates a request; returns the kind of its version. */
function kindOf(request: RpcRequest, { observed }: RequestContext, isBatch: boolean): Call['kind'] {
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

/** Rejects a version that is not known, except where negotiation follows. */
function checkVersion(received: unknown, { observed }: RequestContext): void {
  const version = observed.headers['mcp-protocol-version']?.trim();
  const known: readonly string[] = [...handshakeVersions, ...statelessVersions];
  if (version === undefined || known.includes(version) || isSelfContained(received)) return;
  if (isObject(received) && received.method === 'initialize') return;
  throw new RpcError('unsupported', `Unsupported MCP-Protocol-Version; use one of ${known.join(', ')}.`);
}

function toResponse(error: unknown, message: unknown): McpResponse {
  if (!(error instanceof RpcError)) throw error;
  const { status } = error;
  const headers = status === 429 && { headers: { 'Retry-After': String(retryAfterOf('rate_limited')) } };
  return { status, mediaType: json, body: formatError(message, error), ...headers };
}

/** The methods whose response is the same for every client of a deployment, except for the URL of the service. */
const constantMethods: readonly string[] = ['tools/list', 'server/discover'];

/** Clients that number their requests, as the official ones do, send those early. */
const maxStoredId = 15;

/** Builds the responses that every client gets once, so that the edge compresses them once. */
function createStore() {
  const byDeployment = new WeakMap<Deployment, Map<string, McpResponse>>();
  return async ({ kind, request, context }: Call, build: () => Promise<McpResponse>): Promise<McpResponse> => {
    const { id, method } = request;
    const { deployment } = context;
    // Without a set URL, the server's info contains the Host of the request, which must not be stored.
    const isConstant = constantMethods.includes(method) && (kind === 'handshake' || deployment.publicUrl !== null);
    if (!isConstant || typeof id !== 'number' || id < 0 || id > maxStoredId) return build();
    const stored = byDeployment.get(deployment) ?? new Map<string, McpResponse>();
    byDeployment.set(deployment, stored);
    const key = `${kind} ${method} ${id}`;
    const response = stored.get(key) ?? { ...(await build()), isConstant: true };
    stored.set(key, response);
    return response;
  };
}
