/** Says of an unexpected failure what it is and where it happened. */

/** Name, code and place. Not the message, which may hold what a caller sent. */
export function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unexpected failure';
  const { name, stack } = error;
  const code = 'code' in error ? String(error.code) : '';
  const place = stack?.split('\n').find((line) => line.trimStart().startsWith('at ')) ?? '';
  return `unexpected ${[name, code, place.trim()].filter((part) => part !== '').join(' ')}`;
}
