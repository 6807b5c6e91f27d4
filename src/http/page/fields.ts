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
  const fields = [...leaves(root, '', root.$defs ?? {})];
  // Alternatives, as the summaries of a registration, share some of their fields.
  return [...new Map(fields.toReversed().map((field) => [field.path, field])).values()].reverse();
}

/** `path[]` is each element of a list. */
function* leaves(node: JsonSchema, path: string, definitions: Readonly<Record<string, JsonSchema>>): Generator<Field> {
  const resolved = (each: JsonSchema): JsonSchema => ({
    ...definitions[each.$ref?.replace('#/$defs/', '') ?? ''],
    ...each,
  });
  const shape = resolved(node);
  const shapes = [shape, ...((shape.anyOf ?? []) as JsonSchema[]).map(resolved)];
  if (shape.properties === undefined) {
    yield { path, type: typeOf(shape, resolved), description: shape.description ?? '' };
  }
  for (const { properties = {}, items } of shapes) {
    for (const [name, child] of Object.entries(properties)) {
      yield* leaves(child as JsonSchema, path === '' ? name : `${path}.${name}`, definitions);
    }
    const element = items === undefined ? null : resolved(items as JsonSchema);
    if (element?.properties !== undefined) {
      for (const [name, child] of Object.entries(element.properties)) {
        yield* leaves(child as JsonSchema, `${path}[].${name}`, definitions);
      }
    }
  }
}

function typeOf(node: JsonSchema, resolved: (node: JsonSchema) => JsonSchema): string {
  if (node.anyOf) {
    const types = (node.anyOf as JsonSchema[]).map((each) => typeOf(resolved(each), resolved));
    return [...new Set(types)].join(' | ');
  }
  if (node.enum) return node.enum.join(' | ');
  if (node.const !== undefined) return String(node.const);
  return [node.type].flat().join(' | ');
}
