/** Which representation of an endpoint a request asks for. */
import { type Accept, parseAccept } from 'hono/utils/accept';
import { ServiceError } from '../core/errors.ts';
import type { ObservedRequest } from '../core/observed.ts';

export type Format = 'json' | 'text' | 'html' | 'card';

export const mediaTypes = {
  json: 'application/json',
  text: 'text/plain',
  html: 'text/html',
  // SEP-2127, the server card of the Model Context Protocol.
  card: 'application/mcp-server-card+json',
} as const satisfies Record<Format, string>;

/** The values of the `format` parameter. */
export const formatValues = ['json', 'text'] as const satisfies readonly Format[];

/** Chooses among the formats an endpoint offers; throws `invalid_format` for a parameter that names no single one. */
export function negotiate(offered: readonly Format[], observed: Pick<ObservedRequest, 'query' | 'headers'>): Format {
  // The headers are not asked for where they decide nothing: building them costs /ip a fifth.
  if (offered.length === 1) return offered[0] as Format;
  if (offered.includes('json')) return formatParameter(observed.query) ?? jsonOrText(observed.headers.accept);
  return textOrHtml(observed.headers.accept);
}

function formatParameter(query: string): Format | null {
  if (query === '') return null;
  const given = new URLSearchParams(query).getAll('format');
  if (given.length === 0) return null;
  const format = formatValues.find((value) => given.every((each) => each === value));
  if (format === undefined) throw new ServiceError('invalid_format');
  return format;
}

/** Ranges that can tell the two apart; all others cover neither or, as the wildcard, both alike. */
const namesJsonOrText = /application\/(json|\*)|text\/(plain|\*)/i;

/** JSON unless text/plain is strictly preferred (RFC 9110 §12.5.1). */
function jsonOrText(accept: string | undefined): Format {
  if (accept === undefined || !namesJsonOrText.test(accept)) return 'json';
  const accepted = parseAccept(accept);
  return quality(accepted, mediaTypes.text) > quality(accepted, mediaTypes.json) ? 'text' : 'json';
}

/** HTML only where text/html is named, acceptable and not below text/plain; a wildcard alone, as curl sends, means text. */
function textOrHtml(accept: string | undefined): Format {
  if (accept === undefined || accept === '*/*') return 'text';
  const accepted = parseAccept(accept);
  const html = named(accepted, mediaTypes.html) ?? 0;
  return html > 0 && html >= quality(accepted, mediaTypes.text) ? 'html' : 'text';
}

/** The quality of the most specific range that covers the type; 0 when none does. */
function quality(accepted: readonly Accept[], type: string): number {
  return named(accepted, type) ?? named(accepted, type.replace(/\/.*/, '/*')) ?? named(accepted, '*/*') ?? 0;
}

function named(accepted: readonly Accept[], range: string): number | null {
  const found = accepted.filter(({ type }) => type.toLowerCase() === range);
  return found.length === 0 ? null : Math.max(...found.map(({ q }) => q));
}
