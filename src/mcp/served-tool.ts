/** Makes of a row of the list of tools what the server serves. */
import type { Tool as ToolDefinition } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { ServiceError } from '../core/errors.ts';
import { problemsOf } from './problems.ts';
import type { ServedTool } from './server.ts';
import type { Tool } from './tool.ts';

export function servedTool(tool: Tool): ServedTool {
  return {
    definition: definitionOf(tool),
    async run(input, call) {
      const { platform, observed } = call;
      if (tool.rates.length > 0 && !(await platform.limit(tool.rates, observed.rateKey)))
        throw new ServiceError('rate_limited');
      const given = tool.inputSchema.safeParse(input);
      if (!given.success) {
        const names = Object.keys(tool.inputSchema.shape).join(', ');
        const may = `The input is an object that may have: ${names}.`;
        throw new ServiceError('invalid_query', `${problemsOf(given.error.issues)} ${may}`);
      }
      const answer = await tool.answer(given.data, call);
      return { content: [{ type: 'text', text: tool.text(answer, call) }], structuredContent: answer };
    },
  };
}

function definitionOf({ name, title, description, openWorld, inputSchema, outputSchema }: Tool): ToolDefinition {
  return {
    name,
    title,
    description,
    inputSchema: jsonSchema(inputSchema, 'input') as ToolDefinition['inputSchema'],
    outputSchema: jsonSchema(outputSchema, 'output') as NonNullable<ToolDefinition['outputSchema']>,
    annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: openWorld },
  };
}

/** Metadata without ids, so that schemas stand where they are used: few clients follow a `$ref`. */
const withoutIds = z.registry<z.core.GlobalMeta>();
withoutIds.get = (schema) => {
  const { id: _, ...metadata } = z.globalRegistry.get(schema) ?? {};
  return metadata;
};

function jsonSchema(schema: z.ZodObject, io: 'input' | 'output'): object {
  return z.toJSONSchema(schema, {
    io,
    metadata: withoutIds,
    // Beside a format, a pattern is some 200 characters that say the same.
    override: ({ jsonSchema }) => {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    },
  });
}
