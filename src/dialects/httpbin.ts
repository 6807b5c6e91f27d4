/** The shape of httpbin: https://github.com/postmanlabs/httpbin */
import type { ObservedRequest } from '../core/observed.ts';
import { type DialectRequest, type DialectRow, indent, mediaTypes, rowsOf } from './dialect.ts';

/** Names with capitals, sorted; repeated headers are joined without a space, except for cookies. */
function headersOf({ headers, handshake }: ObservedRequest): Record<string, string> {
  const byName = Map.groupBy(handshake.headerFields ?? [], ([name]) => name.toLowerCase());
  const joined = (name: string, value: string): string => {
    const repeated = byName.get(name) ?? [];
    return repeated.length > 1 && name !== 'cookie' ? repeated.map(([, each]) => each).join(',') : value;
  };
  const named = Object.entries(headers).map(([name, value]) => [capitalize(name), joined(name, value)] as const);
  return Object.fromEntries(named.toSorted(compareNames));
}

const capitalize = (name: string): string =>
  name.replaceAll(/[a-z]+/g, (word) => word[0]?.toUpperCase() + word.slice(1));

const compareNames = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : one > other ? 1 : 0;

/** A parameter's value, or the list of its values. */
function argumentsOf(query: DialectRequest['query']): object {
  const groups = [...Map.groupBy(query, ([name]) => name)].toSorted(compareNames);
  return Object.fromEntries(
    groups.map(([name, [first, ...more]]) => [
      name,
      more.length === 0 ? (first?.[1] ?? '') : [first, ...more].map((pair) => pair?.[1]),
    ]),
  );
}

const originOf = ({ about }: DialectRequest): string => about.ip ?? '';

const urlOf = ({ origin, path, query }: ObservedRequest): string => origin + path + (query === '' ? '' : `?${query}`);

const toJson =
  (membersOf: (request: DialectRequest) => object): DialectRow['shape'] =>
  (request) =>
    `${indent(membersOf(request))}\n`;

export const httpbin: readonly DialectRow[] = rowsOf(mediaTypes.json, [
  ['/ip', 'Address', toJson((request) => ({ origin: originOf(request) }))],
  ['/headers', 'Headers of the client', toJson(({ observed }) => ({ headers: headersOf(observed) }))],
  ['/user-agent', 'User-Agent', toJson(({ observed }) => ({ 'user-agent': observed.headers['user-agent'] ?? null }))],
  [
    '/get',
    'Parameters, headers, address and URL of the request',
    toJson((request) => ({
      args: argumentsOf(request.query),
      headers: headersOf(request.observed),
      origin: originOf(request),
      url: urlOf(request.observed),
    })),
  ],
]);
