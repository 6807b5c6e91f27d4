/** What the MCP server responds to each method, and its calls of tools. */
import { errors, retryAfterOf, ServiceError } from '../core/errors.ts';
import { unknownTool } from '../core/platform.ts';
import type { Deployment, RequestContext } from '../core/request-context.ts';
import { RpcError, type RpcRequest } from './message.ts';
import { type Call, metaKeys } from './protocol.ts';
import { handshakeVersions, instructionsOf, serverInfoOf, statelessVersions } from './server-info.ts';
import { definitionOf, type Tool, type ToolResult, toolRates } from './tool.ts';

const capabilities = { tools: { listChanged: false } };

/** What every result of the stateless versions states of itself, and what those do that a client might store. */
const isComplete = { resultType: 'complete' } as const;
const notStored = { ttlMs: 0, cacheScope: 'private' } as const;

/** Returns the function that returns the result of a call; it throws an RpcError for an unknown tool. */
export function createDispatch(tools: readonly Tool[], deployment: Deployment) {
  const instructions = instructionsOf(tools, deployment);
  // At the first request: it takes longer than the rest of the start of the server.
  let list: object | null = null;
  const resultOf = ({ method, request, context }: Call): object | Promise<ToolResult> => {
    switch (method) {
      case 'initialize':
        return { protocolVersion: negotiate(request), capabilities, serverInfo: serverInfoOf(context), instructions };
      case 'server/discover':
        return { supportedVersions: statelessVersions, capabilities, instructions };
      case 'tools/list':
        list ??= { tools: tools.map((tool) => definitionOf(tool, deployment)) };
        return list;
      case 'tools/call':
        return callTool(tools, request, context);
      case 'subscriptions/listen':
        return { ...isComplete, _meta: { [metaKeys.subscription]: request.id } };
      case 'ping':
        return {};
    }
  };
  return async (call: Call): Promise<object> => complete(await resultOf(call), call);
}

/** The requested version, or the first one if it is unknown. */
const negotiate = ({ params }: RpcRequest): string =>
  handshakeVersions.find((version) => version === params.protocolVersion) ?? handshakeVersions[0];

/** The result with what the stateless versions add to each one. */
export function complete(result: object, { kind, method, context }: Omit<Call, 'request'>): object {
  if (kind === 'handshake') return result;
  const { _meta } = result as ToolResult;
  return {
    ...result,
    ...isComplete,
    ...((method === 'server/discover' || method === 'tools/list') && notStored),
    _meta: { ..._meta, [metaKeys.server]: serverInfoOf(context) },
  };
}

/** The response to `subscriptions/listen`, as events: its stream ends immediately, because no list ever changes. */
export function formatStream({ id }: RpcRequest, result: object): string {
  const params = { notifications: {}, _meta: { [metaKeys.subscription]: id } };
  const messages = [
    { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params },
    { jsonrpc: '2.0', id, result },
  ];
  return messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join('');
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

/** Calls a tool, and converts its failure to a result. Throws an RpcError for an unknown tool. */
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

const aboveRateMessage = `${errors.rate_limited.message} Users of one assistant may share the IP address.`;

/** A sentence for the model, and its code and time for programs. */
function toErrorResult({ code, message }: ServiceError): ToolResult {
  const retryAfterSeconds = retryAfterOf(code);
  return {
    content: [{ type: 'text', text: message }],
    isError: true,
    _meta: { code, ...(retryAfterSeconds !== null && { retryAfterSeconds }) },
  };
}

/** The result of a call above its rates, the same for every client. */
export const aboveRate = toErrorResult(new ServiceError('rate_limited', aboveRateMessage));
