/** JSON Schemas of tools as clients get them: each field with its type, and no keyword that converters of clients reject. */
import * as z from 'zod';

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

/** All descriptions stay, because models read them. */
export const publishInput = (schema: z.ZodObject): PublishedSchema => publish(toJsonSchema(schema, 'input'), true);

/** Programs validate results with it. `explained` are the fields whose names and types are not enough. */
export function publishOutput(schema: z.ZodObject, explained: readonly string[]): PublishedSchema {
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
