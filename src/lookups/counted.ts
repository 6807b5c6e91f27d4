/** Counts a lookup by its outcome. */
import { ServiceError } from '../core/errors.ts';
import type { LookupName, Platform } from '../core/platform.ts';

/** Runs a lookup, and counts `ok` or its error code. */
export async function counted<Result>(
  { countLookup }: Pick<Platform, 'countLookup'>,
  lookup: LookupName,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await run();
    countLookup(lookup, 'ok');
    return result;
  } catch (error) {
    countLookup(lookup, error instanceof ServiceError ? error.code : 'internal_error');
    throw error;
  }
}
