/** The JSON Schemas of a tool as `tools/list` has them: in keywords that every client can read, and each fact once. */
import * as z from 'zod';

/** What is published of Zod's JSON Schemas; their other keywords state nothing, or clients reject them. */
export interface PublishedSchema {
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

interface Schemas {
  readonly inputSchema: z.ZodObject;
  readonly outputSchema: z.ZodObject;
  /** The fields of the result whose names and types are not enough. */
  readonly explained?: readonly string[];
}

/**
 * Models read the schema of the arguments, with all descriptions; programs validate results with the other one. Neither has
 * `additionalProperties: false`: other arguments are ignored, and results may get further members.
 */
export function publishSchemas({ inputSchema, outputSchema, explained = [] }: Schemas) {
  const statedLists: Publishing['statedLists'] = [];
  const input = toJsonSchema(inputSchema, 'input');
  const output = toJsonSchema(outputSchema, 'output');
  const publishedInput = { ...publish(input, { statedLists, isDescribed: true }), required: input.required };
  const { properties, ...result } = publish(output, { statedLists, isDescribed: false });
  const described = explained.map((name) => {
    const description = output.properties?.[name]?.description;
    return [name, { ...properties?.[name], description }] as const;
  });
  return {
    inputSchema: publishedInput,
    outputSchema: {
      ...result,
      required: output.required,
      properties: { ...properties, ...Object.fromEntries(described) },
    },
  };
}

const toJsonSchema = (schema: z.ZodObject, io: 'input' | 'output') =>
  z.toJSONSchema(schema, { io, metadata: withoutIds }) as PublishedSchema;

/** Metadata without ids, so that each schema is written where it is used: few clients follow a `$ref`. */
const withoutIds = z.registry<z.core.GlobalMeta>();
withoutIds.get = (schema) => {
  const { id: _, ...metadata } = z.globalRegistry.get(schema) ?? {};
  return metadata;
};

interface Publishing {
  readonly isDescribed: boolean;
  /** Lists of values that the schemas of this tool have stated: a part of one, or the same, is not stated again. */
  readonly statedLists: (readonly unknown[])[];
}

/** Without `required`: of the objects in a result, only a few members may be absent, and null is in the type. */
function publish(schema: PublishedSchema, publishing: Publishing): PublishedSchema {
  const { type, description, format, properties, items, additionalProperties: values, anyOf = [] } = schema;
  const [first, second] = anyOf;
  if (first !== undefined && second?.type === 'null') return orNull(publish(first, publishing));
  if (first !== undefined) return mergeObjects(anyOf.map((each) => publish(each, publishing)));
  const members = Object.entries(properties ?? {}).map(([name, each]) => [name, publish(each, publishing)]);
  return {
    type,
    description: publishing.isDescribed ? description : undefined,
    format,
    enum: stateOnce(schema.enum, publishing),
    properties: properties && Object.fromEntries(members),
    items: items && publish(items, publishing),
    // Some clients read {} as false.
    additionalProperties:
      typeof values === 'object' ? (values.type === undefined ? true : publish(values, publishing)) : undefined,
  };
}

function stateOnce(values: PublishedSchema['enum'], { statedLists }: Publishing): PublishedSchema['enum'] {
  if (values === undefined || statedLists.some((list) => values.every((value) => list.includes(value))))
    return undefined;
  statedLists.push(values);
  return values;
}

/** A list of types states the same as `anyOf`, in half the length. */
const orNull = (schema: PublishedSchema): PublishedSchema => ({
  ...schema,
  type: [String(schema.type), 'null'],
  enum: schema.enum && [...schema.enum, null],
});

/** Kinds of an object as one object, which has the members of one kind. */
const mergeObjects = (kinds: readonly PublishedSchema[]): PublishedSchema => ({
  type: 'object',
  properties: Object.assign({}, ...kinds.map(({ properties }) => properties)),
});
