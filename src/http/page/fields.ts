/** Fields of a schema, for the documentation's tables and the rows of the page. */
import * as z from 'zod';
import { fieldMeta } from '../../core/field.ts';

export interface Field {
  /** Dotted path, as in flat text; `[]` after a list stands for each of its elements. */
  readonly path: string;
  readonly type: string;
  readonly description: string;
  /** Empty if the schema gives none. */
  readonly label: string;
  readonly unit: string;
}

type JsonSchema = z.core.JSONSchema.JSONSchema & { readonly label?: string; readonly unit?: string };

export function fieldsOf(schema: z.ZodObject): readonly Field[] {
  const root = z.toJSONSchema(schema, {
    override: ({ zodSchema, jsonSchema }) => Object.assign(jsonSchema, fieldMeta.get(zodSchema)),
  }) as JsonSchema;
  const fields = [...leaves(root, '', root.$defs ?? {})];
  // The schemas of a union share some of their fields.
  return [...new Map(fields.toReversed().map((field) => [field.path, field])).values()].reverse();
}

function* leaves(node: JsonSchema, path: string, definitions: Readonly<Record<string, JsonSchema>>): Generator<Field> {
  const resolve = (each: JsonSchema): JsonSchema => ({
    ...definitions[each.$ref?.replace('#/$defs/', '') ?? ''],
    ...each,
  });
  const schema = resolve(node);
  const alternatives = [schema, ...((schema.anyOf ?? []) as JsonSchema[]).map(resolve)];
  if (schema.properties === undefined) {
    const { description = '', label = '', unit = '' } = schema;
    yield { path, type: typeOf(schema, resolve), description, label, unit };
  }
  for (const { properties = {}, items } of alternatives) {
    for (const [name, child] of Object.entries(properties)) {
      yield* leaves(child as JsonSchema, path === '' ? name : `${path}.${name}`, definitions);
    }
    const element = items === undefined ? null : resolve(items as JsonSchema);
    for (const [name, child] of Object.entries(element?.properties ?? {})) {
      yield* leaves(child as JsonSchema, `${path}[].${name}`, definitions);
    }
  }
}

function typeOf(node: JsonSchema, resolve: (node: JsonSchema) => JsonSchema): string {
  if (node.anyOf) {
    const types = (node.anyOf as JsonSchema[]).map((each) => typeOf(resolve(each), resolve));
    return [...new Set(types)].join(' | ');
  }
  if (node.enum) return node.enum.join(' | ');
  if (node.const !== undefined) return String(node.const);
  return [node.type].flat().join(' | ');
}
