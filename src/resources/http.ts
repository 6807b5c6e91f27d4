/** HTTP version and properties of the request. */
import * as z from 'zod';
import { defineField } from '../core/field.ts';
import type { ObservedRequest } from '../core/observed.ts';

export const Http = z
  .object({
    protocol: defineField(z.string().nullable(), {
      label: 'HTTP version',
      description: 'HTTP/1.0, HTTP/1.1, HTTP/2 or HTTP/3',
    }),
    method: defineField(z.string(), { label: 'Method', description: 'Request method, such as GET' }),
    priority: defineField(z.string().nullable(), {
      label: 'Request priority',
      description: 'Priority the client requested (RFC 9218)',
    }),
    acceptEncoding: defineField(z.string().nullable(), {
      label: 'Accepted compression',
      description: 'Compression methods the client accepts, as sent',
    }),
  })
  .meta({ id: 'Http', description: 'HTTP version and properties of the request' });
export type Http = z.infer<typeof Http>;

export function http(observed: ObservedRequest): Http {
  const { protocol, method, priority, acceptEncoding } = observed;
  return { protocol, method, priority, acceptEncoding };
}
