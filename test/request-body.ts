/** Bodies of requests for tests. */
import type { RequestBody } from '../src/core/request-body.ts';

export function bodyOf(text: string): RequestBody {
  const bytes = new TextEncoder().encode(text);
  return { read: async (maxBytes) => (bytes.length > maxBytes ? null : bytes) };
}

export const noBody = bodyOf('');
