/** Schema of a row in the list of tools: its function, and its definition in `tools/list`, with JSON Schemas that clients can read. */
import * as z from 'zod';
import { ServiceError } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { limitsOf, type RateName, type RateSettings, windowSeconds } from '../core/limits.ts';
import type { Deployment, RequestContext } from '../core/request-context.ts';
import { clip, editDistance, flatten } from '../core/text.ts';

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
  /** What an unknown argument probably asks for, and where that is; null if a deployment has it nowhere. */
  readonly elsewhere?: (deployment: Deployment) => string | null;
  /** Validates the input, which a client sent; may throw anything. */
  run(input: unknown, context: RequestContext): Promise<ToolResult>;
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
  const { inputSchema, elsewhere = () => null } = description;
  return {
    ...description,
    async run(input, context) {
      const parsed = inputSchema.safeParse(reduceInput(input, inputSchema), { reportInput: true });
      if (!parsed.success)
        throw new ServiceError(
          'invalid_query',
          describeInput(parsed.error.issues, inputSchema, elsewhere(context.deployment)),
        );
      const result = await run(parsed.data, context);
      return { content: [{ type: 'text', text: toText(result) }], structuredContent: result };
    },
  };
}

/**
 * The arguments that a tool has, and the first one that it has not, which is enough to reject the others: a schema copies all of them.
 * Without those that are null, which some clients send for what they omit.
 */
function reduceInput(input: unknown, { shape }: z.ZodObject): unknown {
  if (!isObject(input)) return input;
  const names = Object.keys(shape);
  const reduced = names.flatMap((name) =>
    Object.hasOwn(input, name) ? [[name, convertScalar(input[name], shape[name])] as const] : [],
  );
  for (const name in input) {
    if (names.includes(name) || input[name] === null) continue;
    reduced.push([name, input[name]]);
    break;
  }
  return Object.fromEntries(reduced.filter(([, value]) => value !== null));
}

/** Models write numbers without quotes, and truth values with them; only one value can be meant. */
function convertScalar(value: unknown, schema: z.core.$ZodType | undefined): unknown {
  const expected = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (expected instanceof z.ZodString && Number.isSafeInteger(value)) return String(value);
  if (expected instanceof z.ZodBoolean && (value === 'true' || value === 'false')) return value === 'true';
  return value;
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
    // All descriptions stay, because models read them.
    inputSchema: publish(toJsonSchema(inputSchema, 'input'), true),
    outputSchema: publishOutput(outputSchema, tool.explained ?? []),
    annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: isLookup },
  };
}

/** What is published of Zod's JSON Schemas; their other keywords state nothing, or clients reject them. */
interface PublishedSchema {
  readonly type?: string | readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly format?: string | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly properties?: Readonly<Record<string, PublishedSchema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: PublishedSchema | undefined;
  readonly additionalProperties?: PublishedSchema | true | undefined;
  readonly anyOf?: readonly PublishedSchema[] | undefined;
}

/** Programs validate results with it. `explained` are the fields whose names and types are not enough. */
function publishOutput(schema: z.ZodObject, explained: readonly string[]): PublishedSchema {
  const { properties, ...published } = publish(toJsonSchema(schema, 'output'), false);
  const described = explained.map((name) => {
    const description = schema.shape[name]?.meta()?.description;
    return [name, { ...properties?.[name], description }] as const;
  });
  return { ...published, properties: { ...properties, ...Object.fromEntries(described) } };
}

const toJsonSchema = (schema: z.ZodObject, io: 'input' | 'output') =>
  z.toJSONSchema(schema, { io, metadata: withoutIds }) as PublishedSchema;

/** Metadata without ids, so that each schema is written where it is used: few clients follow a `$ref`. */
const withoutIds = z.registry<z.core.GlobalMeta>();
withoutIds.get = (schema) => {
  const { id: _, ...metadata } = z.globalRegistry.get(schema) ?? {};
  return metadata;
};

function publish(schema: PublishedSchema, isDescribed: boolean): PublishedSchema {
  const { type, description, format, properties, required, items, additionalProperties: values, anyOf = [] } = schema;
  const [first, second] = anyOf;
  if (first !== undefined && second?.type === 'null') return orNull(publish(first, isDescribed));
  if (first !== undefined) return mergeObjects(anyOf.map((each) => publish(each, isDescribed)));
  const members = Object.entries(properties ?? {}).map(([name, each]) => [name, publish(each, isDescribed)]);
  return {
    type,
    description: isDescribed ? description : undefined,
    format,
    enum: schema.enum,
    properties: properties && Object.fromEntries(members),
    required,
    items: items && publish(items, isDescribed),
    // Some clients read {} as false.
    additionalProperties:
      typeof values === 'object' ? (values.type === undefined ? true : publish(values, false)) : undefined,
  };
}

/** A list of types states the same as `anyOf`, in half the length. */
const orNull = (schema: PublishedSchema): PublishedSchema => ({
  ...schema,
  type: [String(schema.type), 'null'],
  enum: schema.enum && [...schema.enum, null],
});

/** Kinds of an object as one object, of which each kind requires other members. */
function mergeObjects(kinds: readonly PublishedSchema[]): PublishedSchema {
  const lists = kinds.map(({ required = [] }) => required);
  const required = (lists[0] ?? []).filter((name) => lists.every((list) => list.includes(name)));
  return {
    type: 'object',
    properties: Object.assign({}, ...kinds.map(({ properties }) => properties)),
    required,
    anyOf: lists.map((list) => ({ required: list.filter((name) => !required.includes(name)) })),
  };
}

type Issue = z.core.$ZodIssue;

/** Describes why the arguments of a tool do not fit its schema. */
function describeInput(issues: readonly Issue[], schema: z.ZodObject, elsewhere: string | null): string {
  const isUnknown = issues.some(({ code }) => code === 'unrecognized_keys');
  const sentences = issues.map((issue) => describeArgument(issue, schema)).join(' ');
  return isUnknown && elsewhere !== null ? `${sentences.replace(/\.$/, '')}; ${elsewhere}.` : sentences;
}

function describeArgument(issue: Issue, { shape }: z.ZodObject): string {
  const names = Object.keys(shape);
  const [name] = issue.path;
  if (issue.code === 'unrecognized_keys') {
    const [unknown = ''] = issue.keys;
    return `Unknown argument ${JSON.stringify(clip(unknown))}; ${suggestName(unknown, names)}.`;
  }
  if (typeof name !== 'string') return `The arguments must be an object that may have ${names.join(', ')}.`;
  const expected = shape[name]?.meta()?.description ?? '';
  if (issue.code === 'invalid_type') {
    const noun = issue.expected === 'boolean' ? 'true or false' : `a ${issue.expected}`;
    return `${name} ${issue.input === undefined ? 'is required' : `must be ${noun}`}: ${expected}.`;
  }
  if (issue.code === 'too_big') return `${name} has more than ${issue.maximum} characters; shorten it.`;
  return `${name}: ${issue.message}.`;
}

/** `user_agent` for `userAgent`, `ua` and the like; all names if none is close. */
function suggestName(unknown: string, names: readonly string[]): string {
  const normalize = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '');
  const wanted = normalize(clip(unknown));
  const [closest] = names
    .map((name) => ({ name, distance: editDistance(wanted, normalize(name)) }))
    .toSorted((one, other) => one.distance - other.distance);
  if (closest !== undefined && closest.distance <= Math.max(2, wanted.length / 3)) return `use ${closest.name}`;
  return `use ${names.join(' or ')}`;
}
