/** Schema of a row in the list of tools: its function, and its definition in `tools/list`. */
import type * as z from 'zod';
import { limitsOf, type RateName, type RateSettings, windowSeconds } from '../core/limits.ts';
import type { RequestContext } from '../core/request-context.ts';
import { flatten } from '../core/text.ts';
import { type Elsewhere, readArguments } from './arguments.ts';
import { type PublishedSchema, publishSchemas } from './published-schema.ts';

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
  /** The fields of its result that name and type do not explain. */
  readonly explained?: readonly string[];
  readonly synonyms?: Readonly<Record<string, readonly string[]>>;
  readonly elsewhere?: readonly Elsewhere[];
  /** Validates the arguments, which a client sent; may throw anything. */
  run(sent: unknown, context: RequestContext): Promise<ToolResult>;
}

interface ToolRow<Input extends z.ZodObject, Output extends z.ZodObject> extends Omit<Tool<Input, Output>, 'run'> {
  readonly run: (input: z.infer<Input>, context: RequestContext) => z.infer<Output> | Promise<z.infer<Output>>;
  /**
   * The whole result as text, for people and for clients that read only text; default: one line per value that is not null, because a null
   * is of no use to a model.
   */
  readonly toText?: (result: z.infer<Output>) => string;
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>({
  run,
  toText = (result) => flatten(result, false),
  ...description
}: ToolRow<Input, Output>): Tool {
  return {
    ...description,
    async run(sent, context) {
      const { input, remarks } = readArguments(sent, description, context.deployment);
      const result = await run(input, context);
      const text = remarks.map((remark) => `${remark}\n`).join('') + toText(result);
      return { content: [{ type: 'text', text }], structuredContent: result };
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

/** Named, because the declarations of the npm package can contain no type that its file does not export. */
type PublishedSchemas = Readonly<Record<'inputSchema' | 'outputSchema', PublishedSchema>>;

/** The tool in terms of the protocol, with the limits of a deployment. */
export function definitionOf(tool: Tool, settings: RateSettings) {
  const { name, title, isLookup } = tool;
  const limit = isLookup ? describeLookupLimit(settings) : '';
  return {
    name,
    title,
    description: `${tool.description} ${limit}`.trimEnd(),
    ...(publishSchemas(tool) as PublishedSchemas),
    annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: isLookup },
  };
}
