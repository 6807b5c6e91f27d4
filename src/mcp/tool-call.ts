/** Calls a tool, within its rates; the one place where the failure of a tool becomes its result. */
import { errors, retryAfterOf, ServiceError } from '../core/errors.ts';
import type { RequestContext } from '../core/request-context.ts';
import { RpcError, type RpcRequest } from './rpc.ts';
import { type Tool, type ToolResult, toolRates } from './tool.ts';

/** Each message of a batch counts as a call, even if it names an unknown tool; then it throws an RpcError. */
export async function callTool(
  tools: readonly Tool[],
  { params }: RpcRequest,
  context: RequestContext,
): Promise<ToolResult> {
  const { platform, observed } = context;
  const tool = tools.find(({ name }) => name === params.name);
  const { isAllowed } = await platform.limit(toolRates(tool?.isLookup ?? false), observed.rateKey);
  if (!isAllowed) return toErrorResult(new ServiceError('rate_limited', sharedLimit));
  if (tool === undefined)
    throw new RpcError('invalidParams', 'No tool has this name; request tools/list for the names.');
  // Some clients send null for what they omit.
  const input = Object.entries(params.arguments ?? {}).filter(([, value]) => value !== null);
  try {
    return await tool.run(Object.fromEntries(input), context);
  } catch (error) {
    if (error instanceof ServiceError) return toErrorResult(error);
    platform.report(error);
    return toErrorResult(new ServiceError('internal_error'));
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
