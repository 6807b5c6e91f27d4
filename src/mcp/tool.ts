/** Schema of a row in the list of tools: its definition in `tools/list`, and its function. */
import * as z from 'zod';
import { ServiceError } from '../core/errors.ts';
import { limitsOf, type RateName, type RateSettings, windowSeconds } from '../core/limits.ts';
import type { RequestContext } from '../core/request-context.ts';
import { describeInput } from './issues.ts';
import { formatLines } from './text.ts';

type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio' | 'resource'; readonly [member: string]: unknown };

/** The protocol's `CallToolResult`. */
export interface ToolResult {
  readonly content: readonly Content[];
  readonly structuredContent?: object;
  readonly isError?: true;
  readonly _meta?: Record<string, unknown>;
}

export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** Text for the model that chooses among tools. */
  readonly description: string;
  /** Whether it contacts other servers: every call then also counts against the rate of lookups, before its input is validated. */
  readonly isLookup: boolean;
  readonly inputSchema: Input;
  readonly outputSchema: Output;
  /** Validates the input, which a client sent; may throw anything. */
  run(input: unknown, context: RequestContext): Promise<ToolResult>;
}

interface ToolRow<Input extends z.ZodObject, Output extends z.ZodObject> extends Omit<Tool<Input, Output>, 'run'> {
  readonly run: (input: z.infer<Input>, context: RequestContext) => z.infer<Output> | Promise<z.infer<Output>>;
  /** The whole result as text, for people and for clients that read only text; default: one line per value. */
  readonly toText?: (result: z.infer<Output>) => string;
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>({
  run,
  toText = formatLines,
  ...description
}: ToolRow<Input, Output>): Tool {
  const { inputSchema } = description;
  return {
    ...description,
    async run(input, context) {
      const parsed = inputSchema.safeParse(input, { reportInput: true });
      if (!parsed.success) throw new ServiceError('invalid_query', describeInput(parsed.error.issues, inputSchema));
      const result = await run(parsed.data, context);
      return { content: [{ type: 'text', text: toText(result) }], structuredContent: result };
    },
  };
}

/** Rates that a call counts against. */
export const toolRates = (isLookup: boolean): readonly RateName[] => (isLookup ? ['tools', 'lookup'] : ['tools']);

/** A sentence for tools that count as lookups; empty if there is no limit. */
export function describeLookupLimit(settings: RateSettings): string {
  const { lookup } = limitsOf(settings);
  return lookup === 0 ? '' : `All lookups share a limit of ${lookup} per ${windowSeconds} seconds per IP address.`;
}

/** The tool in terms of the protocol, with the limits of a deployment. */
export function definitionOf(tool: Tool, settings: RateSettings) {
  const { name, title, isLookup, inputSchema, outputSchema } = tool;
  const limit = isLookup ? describeLookupLimit(settings) : '';
  return {
    name,
    title,
    description: `${tool.description} ${limit}`.trimEnd(),
    inputSchema: toJsonSchema(inputSchema, 'input'),
    outputSchema: toJsonSchema(outputSchema, 'output'),
    annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: isLookup },
  };
}

/** Metadata without ids, so that each schema is written where it is used: few clients follow a `$ref`. */
const withoutIds = z.registry<z.core.GlobalMeta>();
withoutIds.get = (schema) => {
  const { id: _, ...metadata } = z.globalRegistry.get(schema) ?? {};
  return metadata;
};

function toJsonSchema(schema: z.ZodObject, io: 'input' | 'output'): z.core.JSONSchema.BaseSchema {
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
