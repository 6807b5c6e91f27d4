/** A page as the list of endpoints prints it. */
import assert from 'node:assert/strict';
import type { ObservedRequest } from '../../../src/core/observed.ts';
import type { Contact } from '../../../src/core/settings.ts';
import { endpoints } from '../../../src/http/endpoints.ts';
import { seenAll } from '../../observed.ts';
import { platformOf } from '../../platform.ts';
import { noBody } from '../../request-body.ts';

export function pageAt(path: string, observed: ObservedRequest = seenAll, contact: Contact | null = null): string {
  const endpoint = endpoints.find((each) => each.path === path);
  const page = endpoint?.print.html?.({ observed, platform: platformOf(), publicUrl: null, contact, body: noBody });
  return typeof page === 'string' ? page : assert.fail(`no page at ${path}`);
}

export const pagePaths = endpoints.filter(({ print }) => print.html).map(({ path }) => path);
