/** Says in sentences what does not fit a schema. */
import type * as z from 'zod';

type Issue = Pick<z.core.$ZodIssue, 'path' | 'message'>;

export function problemsOf(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => `${path.length === 0 ? '' : `${path.join('.')}: `}${message}.`).join(' ');
}

/** For issues that were JSON: what a caller sent may look like them. */
export function isIssue(value: unknown): value is Issue {
  const { path, message } = (value ?? {}) as Partial<Record<keyof Issue, unknown>>;
  return Array.isArray(path) && typeof message === 'string';
}
