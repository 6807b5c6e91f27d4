/** Looks up registration data of a domain, a block of IP addresses or an AS number at its registry. */

import { ServiceError } from '../../core/errors.ts';
import { isObject, type JsonObject, parseJson } from '../../core/json.ts';
import { maxRedirects } from '../../core/limits.ts';
import type {
  BootstrapFailure,
  BootstrapFile,
  OutboundFailure,
  OutboundResponse,
  Platform,
} from '../../core/platform.ts';
import { isRedirect } from '../outbound.ts';
import { mayBePublic } from '../public-address.ts';
import { baseUrlsOf, isListed } from './bootstrap.ts';
import { permanent, RetriableError, reasonIn, reasonOf, statusError, unusable } from './failure.ts';
import { decodeText, integerOf, textOf } from './json.ts';
import {
  bootstrapNameOf,
  describeReverseName,
  parseQuery,
  pathOf,
  type RdapQuery,
  reservationOf,
  reverseBlockOf,
} from './query.ts';
import type { RdapResult } from './schema.ts';
import { summarize } from './summary.ts';
import { mismatchOf } from './verification.ts';

/** Time for one server with its redirects, and for all servers together. */
const attemptTimeoutMs = 5000;
const totalTimeoutMs = 10_000;

const maxBodyBytes = 2 ** 20;
/** A longer URL is left out of a message. */
const maxUrlLength = 300;
/** Values of a response, ten times as many as large ones have: a megabyte can contain 300,000, which take 30 ms to read. */
const maxValues = 10_000;

export async function rdap(q: string, platform: Platform, userAgent: string): Promise<RdapResult> {
  const query = parseQuery(q);
  const reservation = reservationOf(query);
  if (reservation !== null)
    throw new ServiceError('not_found', `${reservation}, so it is not registered; query a public one.`);
  const deadlineMs = platform.now() + totalTimeoutMs;
  const file = await platform.bootstrapFile(bootstrapNameOf(query));
  if ('failure' in file) throw bootstrapErrors[file.failure]();
  const { source, data } = await queryServers({ query, file, platform, userAgent, deadlineMs });
  return {
    query: q.trim(),
    kind: query.kind,
    source,
    bootstrapUpdated: file.publication,
    summary: summarize(query.kind, data, source),
    data,
  };
}

const bootstrapErrors: Readonly<Record<BootstrapFailure, () => ServiceError>> = {
  unavailable: () => new ServiceError('upstream_error', "IANA's RDAP list is unavailable; try again later."),
  timeout: () => new ServiceError('upstream_timeout', "IANA's RDAP list did not arrive in time; try again later."),
  overloaded: () => new ServiceError('overloaded'),
};

interface Lookup {
  readonly query: RdapQuery;
  readonly file: BootstrapFile;
  readonly platform: Platform;
  readonly userAgent: string;
  readonly deadlineMs: number;
}

async function queryServers(lookup: Lookup) {
  let failure = new ServiceError('no_rdap_service', noServiceMessageOf(lookup.query));
  for (const baseUrl of baseUrlsOf(lookup.query, lookup.file)) {
    try {
      return await queryServer(new URL(baseUrl + pathOf(lookup.query)), lookup);
    } catch (error) {
      if (!(error instanceof RetriableError)) throw error;
      failure = error;
    }
  }
  throw failure;
}

/** Most single labels are typing errors instead of top-level domains, and names of reverse zones belong to blocks, which have records. */
function noServiceMessageOf(query: RdapQuery): string | undefined {
  if (query.kind !== 'domain') return undefined;
  const block = reverseBlockOf(query.fullName);
  if (block !== null) return describeReverseName(query.fullName, block);
  if (query.name.includes('.')) return undefined;
  return `IANA lists no RDAP server for the top-level domain ${query.name}; for a domain, send at least two labels, such as example.com.`;
}

/** Follows redirects from one registry to another (RFC 7480 §5.2), but only to servers that IANA lists. */
async function queryServer(url: URL, lookup: Lookup) {
  const { query, platform, userAgent, deadlineMs } = lookup;
  const attemptDeadlineMs = Math.min(platform.now() + attemptTimeoutMs, deadlineMs);
  let target = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    // The upper bound applies even if the clock is set back meanwhile.
    const timeoutMs = Math.min(attemptDeadlineMs - platform.now(), attemptTimeoutMs);
    if (timeoutMs <= 0) throw timedOut();
    const response = await platform.fetchPublic({
      method: 'GET',
      url: target.href,
      headers: {
        Accept: 'application/rdap+json, application/json;q=0.8',
        // Without it a server may use any encoding (RFC 9110 §12.5.3).
        'Accept-Encoding': 'identity',
        'User-Agent': userAgent,
      },
      body: null,
      timeoutMs,
      maxBodyBytes,
    });
    if ('failure' in response) throw outboundErrors[response.failure]();
    if (!isRedirect(response.status)) return { source: target.href, data: readRecord(response, query) };
    if (response.hasSeveralLocations) throw unusable('The registry redirects to several different URLs');
    target = await listedTarget(response.headers.location, target, lookup);
  }
  throw unusable(`The registry redirects more than ${maxRedirects} times`);
}

/**
 * The target of a redirect, over HTTPS if that URL is listed too. A server that is listed with http may redirect to its https URLs. Checks
 * the given file first. Throws if the target is not listed: the error of a file that is not available, or one that names the target.
 */
async function listedTarget(location: string | undefined, from: URL, lookup: Lookup): Promise<URL> {
  const { file, platform } = lookup;
  const target = location ? URL.parse(location, from) : null;
  if (target === null) throw unusable('The registry redirects without a valid Location header');
  target.hash = '';
  const secure = new URL(target.href.replace(/^http:/, 'https:'));
  // Not parsed: that would drop the port of https://rdap.example:80/.
  const plain = { href: target.href.replace(/^https:/, 'http:') };
  const findListed = (files: readonly BootstrapFile[]) =>
    isListed(secure, files) ? secure : isListed(plain, files) ? target : null;
  const names = ['dns', 'ipv4', 'ipv6', 'asn'] as const;
  const first = findListed([file]);
  if (first !== null) return first;
  const files = await Promise.all(names.map((name) => platform.bootstrapFile(name)));
  const listed = findListed(files.flatMap((each) => ('services' in each ? [each] : [])));
  const failed = files.find((each) => 'failure' in each);
  if (listed !== null) return listed;
  throw failed === undefined ? unlisted(target) : bootstrapErrors[failed.failure]();
}

/** Some registries, such as national ones below APNIC, have the records of others, and are in none of IANA's lists: waiting does not help. */
function unlisted({ protocol, host, hostname, pathname, search }: URL): ServiceError {
  const url = `${protocol}//${host}${pathname}${search}`;
  const isUsable = /^https?:$/.test(protocol) && mayBePublic(hostname) && url.length <= maxUrlLength;
  const advice = isUsable ? `: open ${url} for the record.` : '; its website may offer a lookup.';
  return permanent(
    `The registry redirects to a server that IANA's RDAP lists do not contain, so this service does not follow${advice}`,
  );
}

const jsonProblems = {
  malformed: 'is not valid JSON',
  too_deep: 'is nested too deeply',
  too_many: `has more than ${maxValues} values`,
} as const;

function readRecord(response: OutboundResponse, query: RdapQuery): JsonObject {
  const { status, headers, body } = response;
  if (status < 200 || status > 299) throw statusError({ status, headers, query, reason: reasonIn(response, query) });
  const text = decodeText(body, headers['content-type']);
  if (text === null) throw unusable("The registry's response has an unknown charset");
  if (/^\s*</.test(text)) throw unusable('The registry returned a web page instead of JSON');
  const parsed = parseJson(text, maxValues);
  if ('failure' in parsed) throw unusable(`The registry's response ${jsonProblems[parsed.failure]}`);
  const data = parsed.value;
  if (!isObject(data)) throw unusable("The registry's response is not a JSON object");
  if (!isOfKind(data, query)) {
    // Some servers send an error object (RFC 9083 §6) with a success status.
    const errorCode = integerOf(data.errorCode);
    throw errorCode === null
      ? unusable('The registry returned an object of another kind')
      : statusError({ status: errorCode, headers, query, reason: reasonOf(data, query) });
  }
  const mismatch = mismatchOf(data, query);
  if (mismatch !== null) throw unusable(mismatch);
  return data;
}

const classes = {
  domain: { name: 'domain', members: ['ldhName', 'unicodeName'] },
  ip: { name: 'ip network', members: ['startAddress'] },
  autnum: { name: 'autnum', members: ['startAutnum'] },
} as const;

/** Without objectClassName, which RFC 9083 §4.9 requires, a member that only such an object has is enough. */
function isOfKind(data: JsonObject, { kind }: RdapQuery): boolean {
  const objectClass = textOf(data.objectClassName);
  const { name, members } = classes[kind];
  return objectClass === null
    ? members.some((member) => textOf(data[member]) !== null)
    : objectClass.toLowerCase() === name;
}

function timedOut(): ServiceError {
  return new RetriableError('upstream_timeout', 'The registry did not respond in time; try again later.');
}

const outboundErrors: Readonly<Record<OutboundFailure, () => ServiceError>> = {
  timeout: timedOut,
  overloaded: () => new ServiceError('overloaded'),
  too_large: () => unusable("The registry's response is too large"),
  informational: () => unusable('The registry sends too many informational responses'),
  blocked: () => unusable("The registry's server has a private or reserved address", RetriableError),
  own: () => unusable("The registry's server has an address of this service", RetriableError),
  unresolved: () => unusable("The host name of the registry's server has no address", RetriableError),
  dns_failed: () => unusable("A query for the addresses of the registry's server failed", RetriableError),
  unreachable: () => unusable("The registry's server is unreachable", RetriableError),
  malformed: () => unusable("The registry's response is not valid HTTP", RetriableError),
  certificate: () => unusable("The certificate of the registry's server is invalid", RetriableError),
};
