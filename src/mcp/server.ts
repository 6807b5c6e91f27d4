/** The tool server: refuses what is no message for it, and answers the rest through the protocol's own library, in both eras. */
import {
  type CallToolResult,
  classifyInboundRequest,
  createMcpHandler,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJsonContentType,
  type JSONRPCMessage,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool as ToolDefinition,
  type Transport,
} from '@modelcontextprotocol/server';
import { errors, ServiceError } from '../core/errors.ts';
import type { RequestBody } from '../core/request-body.ts';
import { variableOf } from '../core/settings.ts';
import { isIssue, problemsOf } from './problems.ts';
import { initializedVersions, instructions, mcpPath, serverInfo } from './server-info.ts';
import type { ToolCall } from './tool.ts';

export const maxBodyBytes = 65_536;
export const maxBatch = 10;

/** What the wiring needs of a tool: what tools/list says of it, and its call, which may throw what it likes. */
export interface ServedTool {
  readonly definition: ToolDefinition;
  run(input: unknown, call: ToolCall): Promise<CallToolResult>;
}

/** One POST to the server. */
export interface McpCall extends ToolCall {
  readonly body: RequestBody;
  /** The service's own address where it was set. */
  readonly publicUrl: string | null;
}

export interface McpAnswer {
  readonly status: number;
  /** Null where there is no body. */
  readonly mediaType: string | null;
  readonly body: string;
}

export type McpServer = (call: McpCall) => Promise<McpAnswer>;

const json = 'application/json';
const decoder = new TextDecoder();

/** Its answers are whole: no stream stays open, and nothing is kept between calls. */
export function createMcpServer(tools: readonly ServedTool[]): McpServer {
  const listed = { tools: tools.map(({ definition }) => definition) };
  const byName = new Map(tools.map((tool) => [tool.definition.name, tool]));

  // One for each message, as the library demands: a shared one has mixed up answers of different callers.
  const serverFor = (call: ToolCall): Server => {
    const server = new Server(serverInfo, {
      capabilities: { tools: { listChanged: false } },
      instructions,
      supportedProtocolVersions: [...initializedVersions],
    });
    server.setRequestHandler('tools/list', () => listed);
    server.setRequestHandler('tools/call', ({ params }) => {
      const tool = byName.get(params.name);
      if (tool === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'No tool has this name; tools/list names them all.');
      return tool.run(params.arguments ?? {}, call).catch((error) => failed(error, call));
    });
    return server;
  };

  return async (call) => {
    const refusal = refusalByHeaders(call);
    if (refusal !== null) {
      // An answer beside an unread body may not reach the caller.
      await call.body.read(0);
      return refusal;
    }
    const bytes = await call.body.read(maxBodyBytes);
    if (bytes === null) return refused(413, 'invalidRequest', `The body is larger than ${maxBodyBytes} bytes.`);
    const body = parsed(decoder.decode(bytes));
    if (body === undefined) return refused(400, 'parseError', 'The body is not JSON.');
    if (Array.isArray(body) && body.length > maxBatch)
      return refused(400, 'invalidRequest', `A batch holds at most ${maxBatch} messages; this one has ${body.length}.`);
    const messages: JSONRPCMessage[] = Array.isArray(body) ? body : [body];
    messages.forEach(leaveOutNulls);
    const { 'mcp-protocol-version': version } = call.observed.headers;
    const protocolVersionHeader = version === undefined ? {} : { protocolVersionHeader: version };
    const route = classifyInboundRequest({ httpMethod: 'POST', body, ...protocolVersionHeader });
    if (route.kind !== 'legacy') return selfContained(call, body, () => serverFor(call));
    if (route.reason !== 'initialize' && version !== undefined && !isInitialized(version))
      return refused(400, 'unsupported', `This revision is not served. Served are ${initializedVersions.join(', ')}.`);
    // Each message of a batch has a server of its own: equal ids then get an answer each.
    const answers = await Promise.all(messages.map((message) => exchange(message, () => serverFor(call))));
    const some = answers.filter((answer) => answer !== null);
    if (some.length === 0) return { status: 202, mediaType: null, body: '' };
    return { status: 200, mediaType: json, body: JSON.stringify(Array.isArray(body) ? some : some[0]) };
  };
}

const isInitialized = (version: string): boolean => initializedVersions.some((each) => each === version);

/** The one place where the failure of a tool becomes its answer. */
function failed(error: unknown, { platform }: ToolCall): CallToolResult {
  const known = error instanceof ServiceError;
  if (!known) platform.report(error);
  return { content: [{ type: 'text', text: known ? error.message : errors.internal_error.message }], isError: true };
}

const codes = { parseError: -32700, invalidRequest: -32600, unsupported: -32000 } as const;

function refused(status: number, code: keyof typeof codes, message: string): McpAnswer {
  return {
    status,
    mediaType: json,
    body: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: codes[code], message } }),
  };
}

/** What is refused unread. */
function refusalByHeaders({ observed, publicUrl }: McpCall): McpAnswer | null {
  const { headers, onLoopback, origin } = observed;
  if (onLoopback && !isOwnHost(new URL(origin).hostname, publicUrl))
    return refused(
      403,
      'unsupported',
      `On this machine call the server as localhost, or set ${variableOf('publicUrl')} to the address it has.`,
    );
  // The protocol asks clients to name two media types; one that can read JSON gets it.
  if (!/^$|\*\/\*|application\/(?:\*|json)/i.test(headers.accept ?? ''))
    return refused(406, 'unsupported', `Answers are ${json}: accept that.`);
  if (!isJsonContentType(headers['content-type']))
    return refused(415, 'unsupported', `Send the message as Content-Type: ${json}.`);
  return null;
}

/**
 * A web page may resolve a name of its own to this machine and then call what listens here alone (DNS rebinding): the Host it
 * sends gives it away. The protocol asks for a check of Origin instead, but every origin may call a server that is public.
 */
function isOwnHost(hostname: string, publicUrl: string | null): boolean {
  return (
    /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname) ||
    (publicUrl !== null && new URL(publicUrl).hostname === hostname)
  );
}

/** Undefined where it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Some clients write null for what they leave out: a cursor, arguments, one of them. */
function leaveOutNulls(message: unknown): void {
  const params = (message as { params?: Record<string, unknown> } | null)?.params;
  if (typeof params !== 'object' || params === null) return;
  for (const object of [params, params.arguments]) dropNulls(object);
}

function dropNulls(object: unknown): void {
  if (typeof object !== 'object' || object === null) return;
  for (const [name, value] of Object.entries(object)) if (value === null) delete object[name as never];
}

/** The library tells which params do not fit in the JSON of its schema's issues, and calls some of that its own failure. */
function explained(answer: JSONRPCMessage): JSONRPCMessage {
  if (!isJSONRPCErrorResponse(answer)) return answer;
  const { message } = answer.error;
  const issues = parsed(message.slice(message.indexOf('[\n')));
  if (!Array.isArray(issues) || !issues.every(isIssue)) return answer;
  return { ...answer, error: { code: ProtocolErrorCode.InvalidParams, message: problemsOf(issues) } };
}

/** Hands one message to a server; null where it needs no answer: without sessions, a notification has nobody to notify. */
async function exchange(message: JSONRPCMessage, server: () => Server): Promise<JSONRPCMessage | null> {
  if (!isJSONRPCRequest(message)) return null;
  const { promise, resolve } = Promise.withResolvers<JSONRPCMessage>();
  const transport: Transport = {
    start: async () => {},
    send: async (answer) => resolve(explained(answer)),
    close: async () => {},
  };
  await server().connect(transport);
  transport.onmessage?.(message);
  return promise;
}

const passedOn: ReadonlySet<string> = new Set(['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']);

/** Revisions without `initialize`: the library's handler checks what each request says of itself. */
async function selfContained(
  { observed, base }: ToolCall,
  parsedBody: unknown,
  server: () => Server,
): Promise<McpAnswer> {
  const handler = createMcpHandler(server, { legacy: 'reject', keepAliveMs: 0 });
  // The others are nothing to it, and a Request takes no header beyond Latin-1.
  const sent = Object.entries(observed.headers).filter(
    ([name, value]) => passedOn.has(name) && /^[\t -~]*$/.test(value),
  );
  const request = new Request(base + mcpPath, { method: 'POST', headers: sent });
  const response = await handler.fetch(request, { parsedBody });
  const mediaType = response.headers.get('content-type');
  const text = await response.text();
  const hasError = mediaType === json && text.includes('"error":{');
  return { status: response.status, mediaType, body: hasError ? JSON.stringify(explained(JSON.parse(text))) : text };
}
