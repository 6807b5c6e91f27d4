/** Registration data of a domain, a block of IP addresses or an AS number, from the registry that holds it. */
import { ServiceError } from '../../core/errors.ts';
import type { OutboundFailure, OutboundResponse, Platform, RegistryFile } from '../../core/platform.ts';
import { isRedirect } from '../redirect.ts';
import { baseUrlsOf, isListed } from './bootstrap.ts';
import { integerOf, isObject, type JsonObject, parseJson, textOf } from './json.ts';
import { classify, pathOf, type Question, registryOf } from './query.ts';
import type { RdapResult } from './rdap-result.ts';
import { summarize } from './summary.ts';

/** For one server with its redirects, and for all of them together. */
const attemptTimeoutMs = 5000;
const totalTimeoutMs = 10_000;

const maxRedirects = 5;
const maxBodyBytes = 2 ** 20;

/** Looks `q` up; null stands for a parameter that is missing or given more than once. */
export async function rdap(q: string | null, platform: Platform, userAgent: string): Promise<RdapResult> {
  if (q === null) throw new ServiceError('invalid_query', 'Give the parameter q, and give it once.');
  const question = classify(q);
  const deadlineMs = platform.now() + totalTimeoutMs;
  const file = await platform.registryFile(registryOf(question));
  if (file === null) throw new ServiceError('upstream_error', "IANA's list of RDAP servers could not be had.");
  const bases = baseUrlsOf(question, file);
  const { source, data } = await askInTurn(bases, { question, file, platform, userAgent, deadlineMs });
  return {
    query: q.trim(),
    kind: question.kind,
    source,
    bootstrapUpdated: file.publication,
    summary: summarize(question.kind, data, source),
    data,
  };
}

interface Lookup {
  readonly question: Question;
  readonly file: RegistryFile;
  readonly platform: Platform;
  readonly userAgent: string;
  readonly deadlineMs: number;
}

type Answer = { readonly source: string; readonly data: JsonObject };
/** No answer; `retriable` when another server of the same service may have one. */
type Refusal = { readonly error: ServiceError; readonly retriable: boolean };

async function askInTurn(bases: readonly string[], lookup: Lookup): Promise<Answer> {
  let error = new ServiceError('no_rdap_service');
  for (const base of bases) {
    const answer = await ask(new URL(base + pathOf(lookup.question)), lookup);
    if (!('error' in answer)) return answer;
    error = answer.error;
    if (!answer.retriable) break;
  }
  throw error;
}

/** Redirects lead from one registry to another: RFC 7480 §5.2. They are followed to listed servers alone. */
async function ask(url: URL, { question, file, platform, userAgent, deadlineMs }: Lookup): Promise<Answer | Refusal> {
  const attemptDeadlineMs = Math.min(platform.now() + attemptTimeoutMs, deadlineMs);
  let target = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    // Whatever becomes of the clock meanwhile.
    const timeoutMs = Math.min(attemptDeadlineMs - platform.now(), attemptTimeoutMs);
    if (timeoutMs <= 0) return failed('timeout');
    const result = await platform.fetchPublic({
      method: 'GET',
      url: target.href,
      headers: {
        Accept: 'application/rdap+json, application/json;q=0.8',
        // Without it a server may choose any (RFC 9110 §12.5.3).
        'Accept-Encoding': 'identity',
        'User-Agent': userAgent,
      },
      body: null,
      timeoutMs,
      maxBodyBytes,
    });
    if ('failure' in result) return failed(result.failure);
    if (!isRedirect(result.status)) return read(result, target.href, question);
    const next = await listedTarget(result.headers.location, target, file, platform);
    if (next === null) return refused("The registry redirects to no server that IANA's lists name.");
    target = next;
  }
  return refused(`The registry redirects more than ${maxRedirects} times.`);
}

/** Where a redirect leads, by https if that is listed too; null when nothing of it is. The file at hand is asked first. */
async function listedTarget(
  location: string | undefined,
  from: URL,
  file: RegistryFile,
  platform: Platform,
): Promise<URL | null> {
  const target = location === undefined ? null : URL.parse(location, from);
  if (target === null) return null;
  target.hash = '';
  const secure = new URL(target.href.replace(/^http:/, 'https:'));
  const listed = (files: readonly RegistryFile[]) => [secure, target].find((url) => isListed(url, files)) ?? null;
  const names = ['dns', 'ipv4', 'ipv6', 'asn'] as const;
  return (
    listed([file]) ??
    listed((await Promise.all(names.map((name) => platform.registryFile(name)))).filter((each) => each !== null))
  );
}

function read({ status, body }: OutboundResponse, source: string, question: Question): Answer | Refusal {
  if (status < 200 || status > 299) return statusRefusal(status);
  // A byte order mark is dropped, though RFC 8259 §8.1 forbids it.
  const text = new TextDecoder().decode(body);
  if (/^\s*</.test(text)) return refused('The registry answered with a web page instead of JSON.');
  const parsed = parseJson(text);
  if ('failure' in parsed) {
    return refused(
      `The registry's answer is ${parsed.failure === 'too_deep' ? 'nested too deeply' : 'not valid JSON'}.`,
    );
  }
  const data = parsed.value;
  if (!isObject(data)) return refused("The registry's answer is not a JSON object.");
  if (isOfKind(data, question)) return { source, data };
  // An error object that came with a status of success: RFC 9083 §6.
  const errorCode = integerOf(data.errorCode);
  return errorCode === null
    ? refused('The registry answered with an object of another kind.')
    : statusRefusal(errorCode);
}

const classes = {
  domain: { name: 'domain', members: ['ldhName', 'unicodeName'] },
  ip: { name: 'ip network', members: ['startAddress'] },
  autnum: { name: 'autnum', members: ['startAutnum'] },
} as const;

/** Without objectClassName, which RFC 9083 §4.9 demands, a member that only such an object has will do. */
function isOfKind(data: JsonObject, { kind }: Question): boolean {
  const objectClass = textOf(data.objectClassName);
  const { name, members } = classes[kind];
  return objectClass === null
    ? members.some((member) => textOf(data[member]) !== null)
    : objectClass.toLowerCase() === name;
}

const refused = (message: string, retriable = false): Refusal => ({
  error: new ServiceError('upstream_error', message),
  retriable,
});

function statusRefusal(status: number): Refusal {
  if (status === 404)
    return { error: new ServiceError('not_found', 'The registry has no record of this.'), retriable: false };
  if (status === 429) return { error: new ServiceError('upstream_rate_limited'), retriable: false };
  return refused(`The registry answered with status ${status}.`, status >= 500);
}

function failed(failure: OutboundFailure): Refusal {
  if (failure === 'timeout') return { error: new ServiceError('upstream_timeout'), retriable: true };
  return refused(failures[failure], failure !== 'too_large');
}

const failures: Readonly<Record<Exclude<OutboundFailure, 'timeout'>, string>> = {
  blocked: "The registry's server has an address that is not public.",
  own: "The registry's server has an address of this service.",
  unresolved: "The name of the registry's server has no address.",
  unreachable: "The registry's server could not be reached.",
  certificate: "The certificate of the registry's server is not valid.",
  too_large: "The registry's answer is too large.",
};
