/** Request headers: those the client sent and those the edge added. */
import * as z from 'zod';
import { fieldOf } from '../core/field.ts';
import type { ObservedRequest } from '../core/observed.ts';

const HeaderMap = z.record(z.string(), z.string());

export const Headers = z
  .object({
    headers: fieldOf(HeaderMap)(
      'Request headers',
      'Headers the client sent; names in lower case, repeated headers joined',
    ),
    edgeHeaders: fieldOf(HeaderMap)('Edge headers', 'Headers added by the edge in front of the service'),
  })
  .meta({ id: 'Headers', description: 'Request headers, and headers added by the edge' });
export type Headers = z.infer<typeof Headers>;

export function headers(observed: ObservedRequest): Headers {
  return { headers: observed.headers, edgeHeaders: observed.edgeHeaders };
}
