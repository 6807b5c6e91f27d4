/** Errors of an RDAP lookup after a registry responded, with the reason that the registry states. */
import { ServiceError } from '../../core/errors.ts';
import { isObject, type JsonObject, parseJson } from '../../core/json.ts';
import type { OutboundResponse } from '../../core/platform.ts';
import { clip, formatCount, replaceControls } from '../../core/text.ts';
import { decodeText, textsOf } from './json.ts';
import { pathOf, type RdapQuery } from './query.ts';

/** A failure after which another server of the same registry may respond. */
export class RetriableError extends ServiceError {}

/** The client cannot change the registry: it can only wait. */
export const unusable = (problem: string, Failure = ServiceError): ServiceError =>
  new Failure('upstream_error', `${problem}; try again later.`);

/** An error that no further attempt changes. */
export const permanent = (message: string): ServiceError => new ServiceError('upstream_error', message);

/** Values of an error response; a valid one has some twenty. */
const maxErrorValues = 1000;
const maxReasonLength = 300;
const maxLines = 10;

/** The reason in the body of an error response: of an error object (RFC 9083 §6), or a line of plain text. Null if it states none. */
export function reasonIn({ body, headers }: OutboundResponse, query: RdapQuery): string | null {
  const contentType = headers['content-type'] ?? '';
  const text = decodeText(body, contentType);
  if (text === null) return null;
  const parsed = parseJson(text, maxErrorValues);
  if ('value' in parsed) return isObject(parsed.value) ? reasonOf(parsed.value, query) : null;
  const isLine = /^\s*text\/plain\b/i.test(contentType) && text.length <= maxReasonLength && !/[<{]/.test(text);
  return isLine ? describeReason([text], query) : null;
}

/** Titles of notices, which mostly are terms of use, that state why there is no record. */
const explanatory = /reserved|blocked|prohibited|restricted|unavailable|cannot be registered|not available/i;

/** The reason in an error object; null if it states only that there is no such record. */
export function reasonOf(data: JsonObject, query: RdapQuery): string | null {
  const notices = textsOf(Array.isArray(data.notices) ? data.notices.map((each) => isObject(each) && each.title) : []);
  const texts = [...textsOf(data.title), ...textsOf(data.description)];
  return describeReason([...texts, ...notices.filter((each) => explanatory.test(each))], query);
}

/** Words of a text that says nothing but that there is no record, or names the error. */
const commonWords = new Set(
  'a an and any are as asn autnum bad be been by can check code could data database did do does doesn domain entity entry error exist exists for found handle http in info information invalid ip is it its item lookup match matched matches matching name network no none not object objects of on or page queried query record records requested request resource response result results returned rdap search server service specified status t that the there this to url was were whois with your'.split(
    ' ',
  ),
);

function describeReason(texts: readonly string[], query: RdapQuery): string | null {
  const own = query.kind === 'domain' ? query.name : pathOf(query);
  // A word with a digit is a number, an address, or the queried name.
  const saysMore = (text: string): boolean =>
    text
      .toLowerCase()
      .replaceAll(own, ' ')
      .split(' ')
      .filter((word) => !/\d/.test(word))
      .some((word) => word.match(/\p{L}+/gu)?.some((each) => !commonWords.has(each)));
  const lines = [
    ...new Set(texts.slice(0, maxLines).map((text) => replaceControls(clip(text, maxReasonLength)).trim())),
  ];
  const told = lines.filter(saysMore).map((text) => text.replaceAll('"', "'").replace(/\.$/, ''));
  return told.length === 0 ? null : clip(told.join('. '), maxReasonLength);
}

interface Rejection {
  readonly status: number;
  readonly headers: OutboundResponse['headers'];
  readonly query: RdapQuery;
  /** As the registry states it; null if it does not. */
  readonly reason: string | null;
}

export function statusError({ status, headers, query, reason }: Rejection): ServiceError {
  const stated = reason === null ? null : `, and states: "${reason}".`;
  if (status === 404)
    return new ServiceError(
      'not_found',
      `The registry has no record of ${describeObject(query)}${stated ?? '; check the spelling, or it may not be registered.'}`,
    );
  if (status === 429) {
    const [seconds] = /^[1-9]\d{0,5}$/.exec(headers['retry-after'] ?? '') ?? [];
    const when = seconds === undefined ? 'later' : `in ${formatCount(Number(seconds), 'second')}`;
    return new ServiceError(
      'upstream_rate_limited',
      `The registry limits the requests of this service; try again ${when}.`,
    );
  }
  const Failure = status >= 500 ? RetriableError : ServiceError;
  // The same query would be rejected again.
  if ((status >= 400 && status < 500) || status === 501)
    return new Failure(
      'upstream_error',
      `The registry rejected the query (status ${status})${stated ?? '; its website may offer a lookup.'}`,
    );
  return unusable(`The registry responded with status ${status}`, Failure);
}

/** Names the registered domain if the client sent a name below it. */
const describeObject = (query: RdapQuery): string =>
  query.kind === 'domain' && query.name !== query.fullName
    ? `${clip(query.name)}, which was queried for ${clip(query.fullName)}`
    : 'this object';
