/** Converts a row of the list of tools into the form that the protocol serves. */
import type { Tool as ToolDefinition } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { ServiceError } from '../core/errors.ts';
import { describeInput } from './issues.ts';
import type { ServedTool } from './protocol.ts';
import type { Tool } from './tool.ts';

export function servedToolOf(tool: Tool): ServedTool {
  return {
    definition: definitionOf(tool),
    rates: tool.rates,
    async run(input, context) {
      const parsed = tool.inputSchema.safeParse(input, { reportInput: true });
      if (!parsed.success)
        throw new ServiceError('invalid_query', describeInput(parsed.error.issues, tool.inputSchema));
      const result = await tool.run(parsed.data, context);
      return { content: [{ type: 'text', text: tool.toText(result) }], structuredContent: result };
    },
  };
}

function definitionOf({ name, title, description, openWorld, inputSchema, outputSchema }: Tool): ToolDefinition {
  return {
    name,
    title,
    description,
    inputSchema: toJsonSchema(inputSchema, 'input') as ToolDefinition['inputSchema'],
    outputSchema: toJsonSchema(outputSchema, 'output') as NonNullable<ToolDefinition['outputSchema']>,
    annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: openWorld },
  };
}

/** Metadata without ids, so that each schema is written where it is used: few clients follow a `$ref`. */
const withoutIds = z.registry<z.core.GlobalMeta>();
withoutIds.get = (schema) => {
  const { id: _, ...metadata } = z.globalRegistry.get(schema) ?? {};
  return metadata;
};

function toJsonSchema(schema: z.ZodObject, io: 'input' | 'output'): object {
  return z.toJSONSchema(schema, {
    io,
    metadata: withoutIds,
    override: ({ jsonSchema }) => {
      // Beside a format, a pattern is some 200 characters that state the same.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      // Every name is a string, and some clients reject the keyword.
      delete jsonSchema.propertyNames;
      // Some clients read {} as false; both are any value.
      if (isEmpty(jsonSchema.additionalProperties)) jsonSchema.additionalProperties = true;
    },
  });
}

const isEmpty = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0;
