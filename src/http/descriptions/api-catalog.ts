/** The API catalog of this service (RFC 9727), a set of links (RFC 9264). */
import type { Site } from '../../core/request-context.ts';
import { documentationUrl, mcpPath } from '../../mcp/server-info.ts';
import { mediaTypes } from '../negotiate.ts';
import { serverCardPath } from './server-card.ts';

export const apiCatalogPath = '/.well-known/api-catalog';
export const openapiPath = '/openapi.json';
export const docsPath = '/docs';

export function apiCatalog({ baseUrl }: Site): object {
  return {
    linkset: [
      {
        anchor: `${baseUrl}/`,
        'service-desc': [{ href: baseUrl + openapiPath, type: mediaTypes.json }],
        'service-doc': [{ href: baseUrl + docsPath, type: mediaTypes.html }],
        status: [{ href: `${baseUrl}/healthz`, type: mediaTypes.text }],
      },
      {
        anchor: baseUrl + mcpPath,
        'service-desc': [{ href: baseUrl + serverCardPath, type: mediaTypes.card }],
        'service-doc': [{ href: documentationUrl(baseUrl), type: mediaTypes.html }],
      },
    ],
  };
}
