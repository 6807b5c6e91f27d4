/** Renders a page through the list of endpoints. */
import assert from 'node:assert/strict';
import type { ObservedRequest } from '../../../src/core/observed.ts';
import { unlimited } from '../../../src/core/platform.ts';
import type { Deployment } from '../../../src/core/request-context.ts';
import type { Contact } from '../../../src/core/setting-values.ts';
import { endpoints } from '../../../src/http/endpoints.ts';
import { seenAll } from '../../observed.ts';
import { contextOf } from '../../request-context.ts';

const renderers = new Map(
  endpoints.flatMap((endpoint) =>
    'render' in endpoint && 'html' in endpoint.render ? [[endpoint.path, endpoint.render.html] as const] : [],
  ),
);

export function pageAt(
  path: string,
  observed: ObservedRequest = seenAll,
  contact: Contact | null = null,
  origins: Partial<Deployment> = {},
): string {
  const deployment = { publicUrl: null, contact, ...origins };
  const context = contextOf({ observed, deployment, baseUrl: observed.origin });
  const page = renderers.get(path)?.(context, unlimited);
  return typeof page === 'string' ? page : assert.fail(`no page at ${path}`);
}

export const pagePaths = [...renderers.keys()];
