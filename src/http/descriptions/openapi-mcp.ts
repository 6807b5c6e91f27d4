/** The part of the OpenAPI description about MCP messages. The MCP specification describes them; OpenAPI cannot. */
import { maxBatch, maxBodyBytes } from '../../mcp/message.ts';
import { errorStatuses } from '../../mcp/rpc.ts';
import { mediaTypes } from '../negotiate.ts';

const messageName = 'JsonRpcMessage';

export const messageSchemas = {
  [messageName]: {
    type: 'object',
    description: 'A JSON-RPC 2.0 message of the Model Context Protocol',
    required: ['jsonrpc'],
    properties: { jsonrpc: { type: 'string', const: '2.0' } },
  },
} as const;

/** Request body and responses of the operation that takes messages; `failures` are responses without a message. */
export function describeMessages(failures: object): object {
  const reference = { $ref: `#/components/schemas/${messageName}` };
  const batch = { type: 'array', items: reference, minItems: 1, maxItems: maxBatch };
  const content = { [mediaTypes.json]: { schema: { oneOf: [reference, batch] } } };
  // Some generators of clients cannot read a range such as 4XX.
  const rejections = [...errorStatuses].map((status) => [
    status,
    { description: 'Rejected before any tool ran', content },
  ]);
  return {
    requestBody: {
      description: `At most ${maxBodyBytes} bytes, and ${maxBatch} messages in a batch`,
      required: true,
      content,
    },
    responses: {
      200: { description: 'The response, or the responses to a batch', content },
      202: { description: 'Accepted; no message in it requires a response' },
      ...Object.fromEntries(rejections),
      ...failures,
    },
  };
}
