/** Responses of dialects: reads the request for them, and adds the headers that every response has. */
import type { ObservedRequest } from '../../core/observed.ts';
import type { RateDecision } from '../../core/platform.ts';
import type { HttpResponse, RequestContext } from '../../core/request-context.ts';
import { type DialectRow, subjectOf } from '../../dialects/dialect.ts';
import { addressPart } from '../endpoint.ts';
import { commonHeaders, memoize } from '../response.ts';

/** The address that the client names in the path or the query, not validated; null for the client's own. */
export function namedAddress({ path, addressParameter }: DialectRow, observed: ObservedRequest): string | null {
  const at = path.split('/').indexOf(addressPart);
  if (at !== -1) return decode(observed.path.split('/')[at] ?? '');
  if (addressParameter === undefined || observed.query === '') return null;
  return new URLSearchParams(observed.query).get(addressParameter) || null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function respondAs(dialect: DialectRow, context: RequestContext, decision: RateDecision): HttpResponse {
  const { observed, platform } = context;
  const named = namedAddress(dialect, observed);
  const reply = dialect.shape({
    ...subjectOf(named, observed, platform.addressData),
    ...{ observed, decision, isLookup: named !== null, nowMs: platform.now() },
    query: [...new URLSearchParams(observed.query)],
  });
  if (typeof reply === 'string') return { status: 200, headers: headersOf(dialect), body: reply };
  const { body, status = 200, mediaType = dialect.mediaType, headers } = reply;
  return { status, headers: { ...headersOf(dialect), 'Content-Type': mediaType, ...headers }, body };
}

const headersOf = memoize(({ mediaType }: DialectRow) => ({ 'Content-Type': mediaType, ...commonHeaders }));
