/** OpenAPI descriptions as clients receive them. */

import { openapi } from '../../../src/http/descriptions/openapi.ts';
import { endpoints } from '../../../src/http/endpoints.ts';
import { site } from '../../request-context.ts';

const describeApi = openapi(endpoints);

// biome-ignore lint/suspicious/noExplicitAny: the validators check the types
export const generate = (...given: Parameters<typeof describeApi>): any =>
  JSON.parse(JSON.stringify(describeApi(...given)));
export const document = generate(site);
export const contacts = [null, { email: 'ops@seenby.example' }, { url: 'https://seenby.example/contact' }];
