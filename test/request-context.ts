/** Request bodies and contexts for tests. */
import type { RequestBody } from '../src/core/platform.ts';
import type { RequestContext, Site } from '../src/core/request-context.ts';
import { seenAll } from './observed.ts';
import { platformOf } from './platform.ts';

export function bodyOf(content: string | Uint8Array): RequestBody {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return { read: async (maxBytes) => (bytes.length > maxBytes ? null : bytes) };
}

export const noBody = bodyOf('');

export const site: Site = { baseUrl: 'https://seenby.example', publicUrl: 'https://seenby.example', contact: null };

export function contextOf(changed: Partial<RequestContext> = {}): RequestContext {
  return { ...site, observed: seenAll, platform: platformOf(), body: noBody, ...changed };
}
