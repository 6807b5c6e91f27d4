/** OpenAPI descriptions as clients receive them. */

import type { Deployment } from '../../../src/core/request-context.ts';
import { dialectsOpenapi, serviceOpenapi } from '../../../src/http/descriptions/openapi.ts';
import { endpoints } from '../../../src/http/endpoints.ts';
import { site } from '../../request-context.ts';

// biome-ignore lint/suspicious/noExplicitAny: the validators check the types
const parse = (description: object): any => JSON.parse(JSON.stringify(description));
export const generate = (deployment: Deployment) => parse(serviceOpenapi(endpoints, deployment));
export const document = generate(site.deployment);
export const dialectsDocument = parse(dialectsOpenapi(endpoints, site.deployment));
/** Of the service, and of its responses in the shape of other services. */
export const documents = [document, dialectsDocument];
export const contacts = [null, { email: 'ops@seenby.example' }, { url: 'https://seenby.example/contact' }];
