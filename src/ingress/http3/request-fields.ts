/** Checks the field section of a request (RFC 9114 §4.2 and §4.3). */
import type { IncomingHttpHeaders } from 'node:http2';
import { StreamError } from './errors.ts';

/** The fields that say what is requested, and how. */
export type RequestFields = Pick<
  IncomingHttpHeaders,
  ':method' | ':scheme' | ':authority' | ':path' | 'host' | 'expect' | 'content-length'
>;

const namePattern = /^:?[!#$%&'*+.^_`|~a-z\d-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is not permitted.
const controlCharacter = /[\0-\x08\x0a-\x1f\x7f]/;
const pseudoHeaders: ReadonlySet<string> = new Set([':method', ':scheme', ':authority', ':path']);
/** Fields of HTTP/1 about its connection. */
const forbidden: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/** Returns the fields of a request out of all its pairs; throws a `StreamError` if it is malformed. */
export function readRequestFields(pairs: readonly string[]): RequestFields {
  const fields: Record<string, string> = Object.create(null);
  let isAfterPseudo = false;
  for (let at = 0; at < pairs.length; at += 2) {
    const [name, value] = [pairs[at] as string, pairs[at + 1] as string];
    const isPseudo = name.startsWith(':');
    if (!namePattern.test(name) || controlCharacter.test(value) || forbidden.has(name)) throw malformed();
    if (name === 'te' && value !== 'trailers') throw malformed();
    if (isPseudo && (isAfterPseudo || !pseudoHeaders.has(name) || fields[name] !== undefined)) throw malformed();
    if (name === 'content-length' && (!/^\d{1,15}$/.test(value) || (fields[name] ?? value) !== value))
      throw malformed();
    isAfterPseudo ||= !isPseudo;
    fields[name] = value;
  }
  const isConnect = fields[':method'] === 'CONNECT';
  if (fields[':method'] === undefined) throw malformed();
  if (!isConnect && (fields[':scheme'] === undefined || !fields[':path'])) throw malformed();
  return fields;
}

/** Trailers have no pseudo-headers; their values are not used. */
export function checkTrailers(pairs: readonly string[]): void {
  if (pairs.some((name, at) => at % 2 === 0 && (name.startsWith(':') || !namePattern.test(name)))) throw malformed();
}

const malformed = (): StreamError => new StreamError('messageError');
