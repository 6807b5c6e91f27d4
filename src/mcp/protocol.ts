/** The MCP library behind the server: one instance per message, in protocol versions with and without a handshake. */
import {
  type CallToolResult,
  createMcpHandler,
  isJSONRPCRequest,
  type JSONRPCMessage,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool as ToolDefinition,
  type Transport,
} from '@modelcontextprotocol/server';
import { errors, ServiceError } from '../core/errors.ts';
import { parseJson } from '../core/json.ts';
import type { Deployment, RequestContext } from '../core/request-context.ts';
import { describeParams, isProtocolIssue } from './issues.ts';
import { json, type McpResponse } from './message.ts';
import { handshakeVersions, instructionsOf, serverInfoOf } from './server-info.ts';
import { definitionOf, type Tool, toolRates } from './tool.ts';

/**
 * Builds the instance for one message; `input` returns the arguments that were taken out of it. A shared instance has mixed up responses
 * of different clients, so the library forbids it.
 */
export type CreateServer = (context: RequestContext, input: () => object) => Server;

export function serverFactoryOf(tools: readonly Tool[]): CreateServer {
  const described = new WeakMap<Deployment, { definitions: ToolDefinition[]; instructions: string }>();
  const describe = (deployment: Deployment) => ({
    definitions: tools.map((tool) => definitionOf(tool, deployment)),
    instructions: instructionsOf(tools, deployment),
  });
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return (context, input) => {
    const { deployment } = context;
    const { definitions, instructions } = described.get(deployment) ?? describe(deployment);
    described.set(deployment, { definitions, instructions });
    const server = new Server(serverInfoOf(context), {
      capabilities: { tools: { listChanged: false } },
      instructions,
      supportedProtocolVersions: [...handshakeVersions],
    });
    server.setRequestHandler('tools/list', ({ params }) => {
      if (params?.cursor !== undefined)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          'Unknown cursor; the list of tools has one page, omit it.',
        );
      return { tools: definitions };
    });
    server.setRequestHandler('tools/call', ({ params }) => {
      const tool = byName.get(params.name);
      return callTool(tool, input(), context).catch((error) => toErrorResult(error, context));
    });
    return server;
  };
}

/**
 * Takes the arguments of a tool call out of its message. The library copies a message each time it validates it, and failed Zod
 * validations keep their input alive (closures of the result's accessors), so large arguments are removed first. Arguments that are no
 * object stay for the library to reject.
 */
export function takeArguments(message: unknown): object {
  if (!isObject(message) || !isObject(message.params)) return {};
  const { arguments: input } = message.params;
  if (!isObject(input)) return {};
  message.params.arguments = {};
  return input;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Each message of a batch counts as a call, even if it names an unknown tool. */
async function callTool(tool: Tool | undefined, input: unknown, context: RequestContext): Promise<CallToolResult> {
  const { platform, observed } = context;
  const { isAllowed } = await platform.limit(toolRates(tool?.isLookup ?? false), observed.rateKey);
  if (!isAllowed) throw new ServiceError('rate_limited');
  if (tool === undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'No tool has this name; request tools/list for the names.',
    );
  return tool.run(input, context);
}

/** The one place where the failure of a tool becomes its result. */
function toErrorResult(error: unknown, { platform }: RequestContext): CallToolResult {
  if (error instanceof ProtocolError) throw error;
  const isKnown = error instanceof ServiceError;
  if (!isKnown) platform.report(error);
  return { content: [{ type: 'text', text: isKnown ? error.message : errors.internal_error.message }], isError: true };
}

/** Hands one message to a server; null if it needs no response: without sessions, notifications have no effect. */
export async function dispatch(message: JSONRPCMessage, createServer: () => Server): Promise<JSONRPCMessage | null> {
  if (!isJSONRPCRequest(message)) return null;
  const { promise, resolve } = Promise.withResolvers<JSONRPCMessage>();
  const transport: Transport = {
    start: async () => {},
    send: async (response) => resolve(explainIssues(response)),
    close: async () => {},
  };
  await createServer().connect(transport);
  transport.onmessage?.(message);
  return promise;
}

/** The members of a `Request` that the library reads: a real one takes a tenth of a call to create, and rejects values beyond Latin-1. */
export function createStatelessRequest({ observed }: RequestContext, createServer: () => Server) {
  const { method, headers } = observed;
  const get = (name: string): string | null => {
    const value = headers[name.toLowerCase()];
    return value !== undefined && /^[\t -~]*$/.test(value) ? value : null;
  };
  return { method, headers: { get }, createServer };
}

type StatelessRequest = ReturnType<typeof createStatelessRequest>;

/** Protocol versions without `initialize`: the library checks what each request states about itself. */
const statelessHandler = createMcpHandler(
  ({ requestInfo }) => (requestInfo as unknown as StatelessRequest).createServer(),
  { legacy: 'reject', keepAliveMs: 0 },
);

/** Hands a message of a protocol version without `initialize` to a server. */
export async function dispatchStateless(request: StatelessRequest, parsedBody: unknown): Promise<McpResponse> {
  const response = await statelessHandler.fetch(request as unknown as Request, { parsedBody });
  const mediaType = response.headers.get('content-type');
  const text = await response.text();
  const hasError = mediaType === json && text.includes('"error":{');
  const body = hasError ? JSON.stringify(explainIssues(JSON.parse(text))) : text;
  return { status: response.status, mediaType, body };
}

/** The library reports invalid params as the JSON of its schema's issues, and some of them as its own failure. */
function explainIssues(response: JSONRPCMessage): JSONRPCMessage {
  // Not the library's check, which would keep the result in memory, see takeArguments.
  if (!('error' in response)) return response;
  const { message } = response.error;
  const parsed = parseJson(message.slice(message.indexOf('[\n')));
  const issues = 'value' in parsed ? parsed.value : null;
  if (!Array.isArray(issues) || !issues.every(isProtocolIssue)) return response;
  return { ...response, error: { code: ProtocolErrorCode.InvalidParams, message: describeParams(issues) } };
}
