/** Metadata of a resource's fields: every field has a description; labels and units are for people. */
import * as z from 'zod';

export interface FieldMeta {
  /** Short name on the page, unique within a resource. */
  readonly label: string;
  /** Meaning of the value, with the reason for null or false if there is one. */
  readonly description: string;
  /** Unit of a numeric value, with a leading space if one belongs between number and unit. */
  readonly unit?: string;
}

/** A registry of our own: labels and units are not keywords of JSON Schema, so OpenAPI and MCP must not show them. */
export const fieldMeta = z.registry<FieldMeta>();

/** Attaches the metadata to a field of a resource's schema. */
export function defineField<Schema extends z.ZodType>(schema: Schema, meta: FieldMeta): Schema {
  const field = schema.describe(meta.description);
  fieldMeta.add(field, meta);
  return field;
}
