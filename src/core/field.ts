/** Metadata of a resource's fields: every field has a description; labels and units are for people. */
import * as z from 'zod';

interface FieldMeta {
  /** Short name on the page, unique within a resource. */
  readonly label: string;
  /** Meaning of the value, with the reason for null or false if there is one. */
  readonly description: string;
  /** Unit of a numeric value, with a leading space if one belongs between number and unit. */
  readonly unit?: string | undefined;
}

/** A registry of our own: labels and units are not keywords of JSON Schema, so OpenAPI and MCP must not show them. */
export const fieldMeta = z.registry<FieldMeta>();

/** Returns a function that makes fields of this schema from the members of their metadata. */
export const fieldOf =
  <Schema extends z.ZodType>(schema: Schema) =>
  (label: string, description: string, unit?: string): Schema => {
    const field = schema.describe(description);
    fieldMeta.add(field, { label, description, unit });
    return field;
  };

/** Fields that are null if the value is not known. */
export const textField = fieldOf(z.string().nullable());
export const flagField = fieldOf(z.boolean().nullable());
export const integerField = fieldOf(z.int().nullable());
export const numberField = fieldOf(z.number().nullable());
export const listField = fieldOf(z.array(z.string()).nullable());

/** A value of which every member is null, for a schema whose members all can be: a constant, because it takes 2 µs to make. */
export const nullsOf = <Schema extends z.ZodObject>({ shape }: Schema): z.infer<Schema> =>
  Object.fromEntries(Object.keys(shape).map((name) => [name, null])) as z.infer<Schema>;
