/** Fields of a schema, for the documentation's tables and the rows of the start page. */
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

/** By path, in the schema's order. Of fields that several schemas of a union share, the first. */
export function fieldsOf(schema: z.ZodObject): ReadonlyMap<string, Field> {
  const root = z.toJSONSchema(schema, {
    // A registry without ids, so that each schema stands where it is used, not in definitions.
    metadata: fieldMeta,
    override: ({ zodSchema, jsonSchema }) => {
      const { description } = z.globalRegistry.get(zodSchema) ?? {};
      if (description !== undefined) jsonSchema.description = description;
    },
  });
  const fields = new Map<string, Field>();
  for (const field of leaves(root as JsonSchema, '')) if (!fields.has(field.path)) fields.set(field.path, field);
  return fields;
}

function* leaves(schema: JsonSchema, path: string): Generator<Field> {
  const { properties, anyOf = [], description = '', label = '', unit = '' } = schema;
  if (properties === undefined) yield { path, type: typeOf(schema), description, label, unit };
  for (const each of [schema, ...anyOf] as JsonSchema[]) {
    yield* membersOf(each, path === '' ? '' : `${path}.`);
    yield* membersOf((each.items ?? {}) as JsonSchema, `${path}[].`);
  }
}

function* membersOf({ properties = {} }: JsonSchema, prefix: string): Generator<Field> {
  for (const [name, child] of Object.entries(properties)) yield* leaves(child as JsonSchema, prefix + name);
}

function typeOf({ anyOf, enum: values, const: only, type }: JsonSchema): string {
  if (anyOf) return [...new Set((anyOf as JsonSchema[]).map(typeOf))].join(' | ');
  return (values ?? [only ?? type].flat()).join(' | ');
}
