/** The MCP server: a function from a POST to its response, in every protocol version. */
import { retryAfterOf } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { Deployment, HttpResponse, RequestContext } from '../core/request-context.ts';
import { aboveRate, complete, countCall, createDispatch, formatStream } from './dispatch.ts';
import { countAndReadMessages, formatError, json, RpcError, readRequest } from './message.ts';
import { type Call, isSelfContained, toCall } from './protocol.ts';
import { handshakeVersions, statelessVersions } from './server-info.ts';
import type { Tool } from './tool.ts';

export type McpServer = (context: RequestContext) => Promise<HttpResponse>;

/** Its responses have these headers and are complete: no stream stays open, and it stores only texts that every client gets. */
export function createMcpServer(
  tools: readonly Tool[],
  deployment: Deployment,
  commonHeaders: HttpResponse['headers'],
): McpServer {
  const accepted = { status: 202, headers: commonHeaders, body: '' };
  const headers = { 'Content-Type': json, ...commonHeaders };
  const respondTo = createStore(tools, deployment, headers);
  const reject = (error: unknown, message: unknown): HttpResponse => {
    if (!(error instanceof RpcError)) throw error;
    const { status } = error;
    const retryAfter = status === 429 && { 'Retry-After': String(retryAfterOf('rate_limited')) };
    const ownHeaders = { ...error.headers, ...retryAfter };
    return { status, headers, body: formatError(message ?? error.rejected, error), ownHeaders };
  };
  /** Returns null if the message needs no response: without sessions, notifications have no effect. */
  const respond = async (message: unknown, context: RequestContext, isBatch: boolean): Promise<HttpResponse | null> => {
    try {
      const request = readRequest(message);
      return request === null ? null : await respondTo(toCall(request, context, isBatch));
    } catch (error) {
      return reject(error, message);
    }
  };
  return async (context) => {
    let received: unknown = null;
    try {
      received = await countAndReadMessages(context);
      validateVersion(received, context);
      if (!Array.isArray(received)) return (await respond(received, context, false)) ?? accepted;
      const responses = await Promise.all(received.map((message) => respond(message, context, true)));
      const bodies = responses.flatMap((response) => response?.body ?? []);
      return bodies.length === 0 ? accepted : { status: 200, headers, body: `[${bodies.join(',')}]` };
    } catch (error) {
      return reject(error, received);
    }
  };
}

/** Rejects a version that is not known, except where negotiation follows. */
function validateVersion(received: unknown, { observed }: RequestContext): void {
  const version = observed.headers['mcp-protocol-version']?.trim();
  const known: readonly string[] = [...handshakeVersions, ...statelessVersions];
  if (version === undefined || known.includes(version) || isSelfContained(received)) return;
  if (isObject(received) && received.method === 'initialize') return;
  throw new RpcError('unsupported', `Unsupported MCP-Protocol-Version; use one of ${known.join(', ')}.`);
}

/** The methods whose response is the same for every client of a deployment, except for the URL of the service. */
const constantMethods: readonly Call['method'][] = ['tools/list', 'server/discover'];

/** Clients that number their requests, as the official ones do, send those early. */
const maxStoredId = 15;

/**
 * Responds to requests. Results that every client gets are written once, also that of a call above its rates, which must not cost the work
 * that it is refused; responses with early ids are stored, so that the edge compresses them once.
 */
function createStore(tools: readonly Tool[], deployment: Deployment, headers: HttpResponse['headers']) {
  const dispatch = createDispatch(tools, deployment);
  const streamHeaders = { ...headers, 'Content-Type': 'text/event-stream' };
  /** Results as JSON, and the responses with them by the id of their request. */
  const known = new Map<string, { readonly result: string; readonly responses: HttpResponse[] }>();
  return async (call: Call): Promise<HttpResponse> => {
    const { kind, method, request } = call;
    const { id } = request;
    const isAboveRate = method === 'tools/call' && !(await countCall(tools, call));
    const resultOf = async () => (isAboveRate ? complete(aboveRate, call) : dispatch(call));
    if (method === 'subscriptions/listen')
      return { status: 200, headers: streamHeaders, body: formatStream(request, await resultOf()) };
    // Without a set URL, the server's info contains the Host of the request, which must not be stored.
    const namesHost = kind === 'stateless' && deployment.publicUrl === null;
    if (namesHost || !(isAboveRate || constantMethods.includes(method)))
      return { status: 200, headers, body: JSON.stringify({ result: await resultOf(), jsonrpc: '2.0', id }) };
    // Of the calls, only those above their rates come here.
    const key = `${kind} ${method}`;
    const stored = known.get(key) ?? { result: JSON.stringify(await resultOf()), responses: [] };
    known.set(key, stored);
    const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${stored.result}}`;
    const response = { status: 200, headers, body } as const;
    if (typeof id !== 'number' || id < 0 || id > maxStoredId) return response;
    stored.responses[id] ??= { ...response, isConstant: true };
    return stored.responses[id];
  };
}
