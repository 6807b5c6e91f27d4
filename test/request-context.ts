/** Request bodies and contexts for tests. */
import type { RequestBody } from '../src/core/platform.ts';
import type { Deployment, RequestContext, Site } from '../src/core/request-context.ts';
import { seenAll } from './observed.ts';
import { platformOf } from './platform.ts';

export function bodyOf(content: string | Uint8Array): RequestBody {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return { read: async (maxBytes) => (bytes.length > maxBytes ? null : bytes) };
}

export const noBody = bodyOf('');

/** The site of a deployment with these settings. */
export const siteOf = (changed: Partial<Deployment>): Site => ({
  deployment: { publicUrl: 'https://seenby.example', contact: null, ...changed },
  baseUrl: 'https://seenby.example',
});

export const site = siteOf({});

export function contextOf(changed: Partial<RequestContext> = {}): RequestContext {
  return { ...site, observed: seenAll, platform: platformOf(), body: noBody, ...changed };
}
