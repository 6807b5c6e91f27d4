/** HTTP version and properties of the request. */
import * as z from 'zod';
import { fieldOf, textField } from '../core/field.ts';
import type { ObservedRequest } from '../core/observed.ts';

export const Http = z
  .object({
    protocol: textField('HTTP version', 'HTTP/1.0, HTTP/1.1, HTTP/2 or HTTP/3'),
    method: fieldOf(z.string())('Method', 'Request method, such as GET'),
    priority: textField('Request priority', 'Priority the client requested (RFC 9218)'),
    acceptEncoding: textField('Accepted compression', 'Compression methods the client accepts, as sent'),
  })
  .meta({ id: 'Http', description: 'HTTP version and properties of the request' });
export type Http = z.infer<typeof Http>;

export function http(observed: ObservedRequest): Http {
  const { protocol, method, priority, acceptEncoding } = observed;
  return { protocol, method, priority, acceptEncoding };
}
