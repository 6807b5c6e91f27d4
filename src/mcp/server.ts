/** The MCP server: a function from a POST to its response, in every protocol version. */
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import type { RequestContext } from '../core/request-context.ts';
import {
  dropExcessMembers,
  dropNullMembers,
  json,
  type McpResponse,
  type Received,
  readMessages,
  reject,
} from './message.ts';
import { createStatelessRequest, dispatch, dispatchStateless, serverFactoryOf, takeArguments } from './protocol.ts';
import { handshakeVersions } from './server-info.ts';
import type { Tool } from './tool.ts';

export type McpServer = (context: RequestContext) => Promise<McpResponse>;

/** Its responses are complete: no stream stays open, and nothing is stored between requests. */
export function createMcpServer(tools: readonly Tool[]): McpServer {
  const createServer = serverFactoryOf(tools);
  /** `inputs` are the arguments of each message. */
  const respond = async (
    context: RequestContext,
    { parsedBody, messages }: Received,
    inputs: readonly object[],
  ): Promise<McpResponse> => {
    const serverOf = (at: number) => () => createServer(context, () => inputs[at] ?? {});
    const { method: httpMethod, headers } = context.observed;
    const { 'mcp-protocol-version': version } = headers;
    const protocolVersionHeader = version === undefined ? {} : { protocolVersionHeader: version };
    const route = classifyInboundRequest({ httpMethod, body: parsedBody, ...protocolVersionHeader });
    if (route.kind !== 'legacy') return dispatchStateless(createStatelessRequest(context, serverOf(0)), parsedBody);
    if (route.reason !== 'initialize' && version !== undefined && !isHandshakeVersion(version))
      return reject(
        400,
        'unsupported',
        `Unsupported MCP-Protocol-Version; use one of ${handshakeVersions.join(', ')}.`,
      );
    // Each message of a batch has a server of its own: equal ids then get a response each.
    const responses = await Promise.all(messages.map((message, at) => dispatch(message, serverOf(at))));
    const sent = responses.filter((response) => response !== null);
    if (sent.length === 0) return { status: 202, mediaType: null, body: '' };
    return { status: 200, mediaType: json, body: JSON.stringify(Array.isArray(parsedBody) ? sent : sent[0]) };
  };
  return async (context) => {
    const received = await readMessages(context);
    if ('status' in received) return received;
    const inputs = received.messages.map(takeArguments);
    received.messages.forEach(dropExcessMembers);
    for (const each of [...received.messages, inputs]) dropNullMembers(each);
    try {
      return await respond(context, received, inputs);
    } finally {
      // V8 frees the library's instances late, see takeArguments, and they refer to this list.
      inputs.length = 0;
    }
  };
}

const isHandshakeVersion = (version: string): boolean => handshakeVersions.some((each) => each === version);
