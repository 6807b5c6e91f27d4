/** The leaves of a schema, for tables and rows that describe them. */
import * as z from 'zod';

type JsonSchema = z.core.JSONSchema.JSONSchema;

export interface Field {
  /** Dotted, as in flat text. */
  readonly path: string;
  readonly type: string;
  readonly description: string;
}

export function fieldsOf(schema: z.ZodObject): readonly Field[] {
  const root = z.toJSONSchema(schema) as JsonSchema;
  return [...leaves(root, '', root.$defs ?? {})];
}

function* leaves(node: JsonSchema, path: string, definitions: Readonly<Record<string, JsonSchema>>): Generator<Field> {
  const shape = definitions[node.$ref?.replace('#/$defs/', '') ?? ''] ?? node;
  const alternatives = (shape.anyOf ?? []) as JsonSchema[];
  if (shape.properties === undefined) yield { path, type: typeOf(shape), description: shape.description ?? '' };
  for (const { properties = {} } of [shape, ...alternatives]) {
    for (const [name, child] of Object.entries(properties)) {
      yield* leaves(child as JsonSchema, path === '' ? name : `${path}.${name}`, definitions);
    }
  }
}

function typeOf(node: JsonSchema): string {
  if (node.anyOf) return (node.anyOf as JsonSchema[]).map(typeOf).join(' | ');
  if (node.enum) return node.enum.join(' | ');
  return [node.type].flat().join(' | ');
}
