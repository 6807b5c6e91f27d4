/** Chooses the representation of an endpoint that a request prefers. */
import { parseWeights, weightOf } from '../core/accept.ts';
import { ServiceError } from '../core/errors.ts';
import type { ObservedRequest } from '../core/observed.ts';

export const mediaTypes = {
  json: 'application/json',
  text: 'text/plain',
  html: 'text/html',
  // SEP-2127, the MCP server card.
  card: 'application/mcp-server-card+json',
  catalog: 'application/ai-catalog+json',
  linkset: 'application/linkset+json',
  svg: 'image/svg+xml',
  ico: 'image/vnd.microsoft.icon',
  png: 'image/png',
} as const;
export type Format = keyof typeof mediaTypes;

export function contentTypeOf(format: Format): string {
  const mediaType = mediaTypes[format];
  // RFC 9727 §4.2: the profile of an API catalog.
  if (format === 'linkset') return `${mediaType}; profile="https://www.rfc-editor.org/info/rfc9727"`;
  return mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType;
}

/** The values of the `format` parameter. */
export const formatValues = ['json', 'text'] as const satisfies readonly Format[];

/** Chooses among the formats an endpoint offers, the default first; throws `invalid_format` if the parameter does not name exactly one of them. */
export function negotiate(offered: readonly Format[], observed: Pick<ObservedRequest, 'query' | 'headers'>): Format {
  // The headers are read only if they matter: building them costs /ip a fifth.
  if (offered.length === 1) return offered[0] as Format;
  const [byDefault = 'text'] = offered;
  const { query } = observed;
  if (offered.includes('json')) return formatParameter(query) ?? jsonOrText(observed.headers.accept) ?? byDefault;
  return prefersHtml(observed.headers.accept) ? 'html' : byDefault;
}

function formatParameter(query: string): Format | null {
  if (query === '') return null;
  const values = new URLSearchParams(query).getAll('format');
  if (values.length === 0) return null;
  const format = formatValues.find((value) => values.every((each) => each === value));
  if (format === undefined) throw new ServiceError('invalid_format');
  return format;
}

/** Media ranges that match only one of JSON and text; all others match neither or, like the wildcard, both. */
const namesJsonOrText = /application\/(json|\*)|text\/(plain|\*)/i;

/** The strictly preferred one (RFC 9110 §12.5.1); null if there is none. */
function jsonOrText(accept: string | undefined): Format | null {
  if (accept === undefined || !namesJsonOrText.test(accept)) return null;
  const weights = parseWeights(accept);
  const preference = weightOf(weights, mediaTypes.json) - weightOf(weights, mediaTypes.text);
  return preference > 0 ? 'json' : preference < 0 ? 'text' : null;
}

/** Whether text/html is named, acceptable and not below text/plain; a wildcard alone, as curl sends, is not enough. */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*') return false;
  const weights = parseWeights(accept);
  const html = weights.get(mediaTypes.html) ?? 0;
  return html > 0 && html >= weightOf(weights, mediaTypes.text);
}
