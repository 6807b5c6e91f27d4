/** OpenAPI descriptions as clients receive them. */

import type { Deployment } from '../../../src/core/request-context.ts';
import { openapi } from '../../../src/http/descriptions/openapi.ts';
import { endpoints } from '../../../src/http/endpoints.ts';
import { site } from '../../request-context.ts';

// biome-ignore lint/suspicious/noExplicitAny: the validators check the types
export const generate = (deployment: Deployment): any => JSON.parse(JSON.stringify(openapi(endpoints, deployment)));
export const document = generate(site.deployment);
export const contacts = [null, { email: 'ops@seenby.example' }, { url: 'https://seenby.example/contact' }];
