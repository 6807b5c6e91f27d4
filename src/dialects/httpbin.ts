/** The shape of httpbin: https://github.com/postmanlabs/httpbin */
import type { ObservedRequest } from '../core/observed.ts';
import { toJson } from '../core/text.ts';
import { type DialectRequest, type DialectRow, mediaTypes, rowsOf } from './dialect.ts';

/** Names with capitals, sorted; repeated headers are joined without a space, except for cookies. */
function headersOf({ headers, handshake }: ObservedRequest): object {
  const byName = Map.groupBy(handshake.headerFields ?? [], ([name]) => name.toLowerCase());
  const joined = (name: string, value: string): string => {
    const repeated = byName.get(name) ?? [];
    return repeated.length > 1 && name !== 'cookie' ? repeated.map(([, each]) => each).join(',') : value;
  };
  return sortNames(Object.entries(headers).map(([name, value]) => [capitalize(name), joined(name, value)]));
}

const capitalize = (name: string): string =>
  name.replaceAll(/[a-z]+/g, (word) => word[0]?.toUpperCase() + word.slice(1));

const sortNames = (pairs: readonly (readonly [name: string, value: unknown])[]): object =>
  Object.fromEntries(pairs.toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** A parameter's value, or the list of its values. */
function argumentsOf(query: DialectRequest['query']): object {
  const groups = [...Map.groupBy(query, ([name]) => name)];
  return sortNames(
    groups.map(([name, pairs]) => [name, pairs.length === 1 ? pairs[0]?.[1] : pairs.map(([, value]) => value)]),
  );
}

const get = ({ observed, query, about }: DialectRequest): string =>
  toJson({
    args: argumentsOf(query),
    headers: headersOf(observed),
    origin: about.ip ?? '',
    url: observed.origin + observed.path + (observed.query && `?${observed.query}`),
  });

export const httpbin: readonly DialectRow[] = rowsOf(mediaTypes.json, [
  ['/ip', 'Address', ({ about }) => toJson({ origin: about.ip ?? '' })],
  ['/headers', 'Headers of the client', ({ observed }) => toJson({ headers: headersOf(observed) })],
  ['/user-agent', 'User-Agent', ({ observed }) => toJson({ 'user-agent': observed.headers['user-agent'] ?? null })],
  ['/get', 'Parameters, headers, address and URL of the request', get],
]);
