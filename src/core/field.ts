/** Metadata of a resource's fields: every field has a description; labels and units are for people. */
import * as z from 'zod';

export interface FieldMeta {
  /** Short name on the page, unique within a resource. */
  readonly label: string;
  /** Meaning of the value, with the reason for null or false if there is one. */
  readonly description: string;
  /** Unit of a numeric value, with a leading space if one belongs between number and unit. */
  readonly unit?: string | undefined;
}

/** A registry of our own: labels and units are not keywords of JSON Schema, so OpenAPI and MCP must not show them. */
export const fieldMeta = z.registry<FieldMeta>();

/** Attaches the metadata to a field of a resource's schema. */
export function defineField<Schema extends z.ZodType>(schema: Schema, meta: FieldMeta): Schema {
  const field = schema.describe(meta.description);
  fieldMeta.add(field, meta);
  return field;
}

/** Fields that are null if the value is not known. */
export const textField = (label: string, description: string) =>
  defineField(z.string().nullable(), { label, description });

export const flagField = (label: string, description: string) =>
  defineField(z.boolean().nullable(), { label, description });

export const integerField = (label: string, description: string, unit?: string) =>
  defineField(z.int().nullable(), { label, description, unit });

export const numberField = (label: string, description: string, unit?: string) =>
  defineField(z.number().nullable(), { label, description, unit });
