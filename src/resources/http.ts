/** How the caller speaks HTTP. */
import * as z from 'zod';
import type { ObservedRequest } from '../core/observed.ts';

export const Http = z
  .object({
    protocol: z.string().nullable().describe('HTTP/1.0, HTTP/1.1, HTTP/2 or HTTP/3'),
    method: z.string(),
    priority: z.string().nullable().describe('Priority the client asked for'),
    acceptEncoding: z.string().nullable().describe('Accept-Encoding as the client sent it'),
  })
  .meta({ id: 'Http', description: 'How the request was sent' });
export type Http = z.infer<typeof Http>;

export function http(observed: ObservedRequest): Http {
  const { protocol, method, priority, acceptEncoding } = observed;
  return { protocol, method, priority, acceptEncoding };
}
