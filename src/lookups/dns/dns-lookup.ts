/** Looks names up by DNS over HTTPS (RFC 8484). */
import { ServiceError } from '../../core/errors.ts';
import type { OutboundFailure, Platform } from '../../core/platform.ts';
import { answerOf, type DnsAnswer, follow, statusOf } from './answer.ts';
import { decodeAnswer, encodeQuery, type Message } from './message.ts';
import { dnsName } from './name.ts';
import { givesReason } from './note.ts';
import type { DnsType } from './record.ts';

/** All that a lookup asks of its platform, so that an edge can look up while it makes one. */
export type DnsPlatform = Pick<Platform, 'fetch' | 'now' | 'resolvers'>;

const lookupTimeoutMs = 5000;
/** The longest message of DNS. */
const maxBodyBytes = 65_535;
const mediaType = 'application/dns-message';

/** Throws `invalid_query`, and `upstream_error` or `upstream_timeout` when no resolver answers; NXDOMAIN and SERVFAIL are answers. */
export async function dnsLookup(
  name: string,
  type: DnsType,
  platform: DnsPlatform,
  userAgent: string,
): Promise<DnsAnswer> {
  const question: Question = { name: dnsName(name), type, checking: 'checked' };
  const deadline = platform.now() + lookupTimeoutMs;
  const asked = await ask(question, platform.resolvers, deadline, platform, userAgent);
  if ('failure' in asked) {
    if (asked.failure === 'timeout')
      throw new ServiceError('upstream_timeout', 'No DNS resolver answered within 5 seconds; try again later.');
    throw new ServiceError('upstream_error', 'No DNS resolver gave a usable answer; try again later.');
  }
  const { message, url } = asked;
  let unvalidated = false;
  if (statusOf(message) === 'SERVFAIL' && !givesReason(message.extendedErrors)) {
    const again = await ask({ ...question, checking: 'unchecked' }, [url], deadline, platform, userAgent);
    unvalidated = !('failure' in again) && ['NOERROR', 'NXDOMAIN'].includes(statusOf(again.message));
  }
  return answerOf(question.name, type, message, new URL(url).hostname, unvalidated);
}

/** IPv4 first. `unresolved` also where one of the two questions stays open, so that no address is overlooked. */
export async function addressesOf(
  name: string,
  platform: DnsPlatform,
  userAgent: string,
  timeoutMs = lookupTimeoutMs,
): Promise<readonly string[] | { readonly failure: OutboundFailure }> {
  const deadline = platform.now() + timeoutMs;
  const host = hostOf(name);
  if (host === null) return unresolved;
  const found = await Promise.all(
    (['A', 'AAAA'] as const).map(async (type) => {
      const asked = await ask(
        { name: host, type, checking: 'checked' },
        platform.resolvers,
        deadline,
        platform,
        userAgent,
      );
      if ('failure' in asked) return asked;
      if (statusOf(asked.message) !== 'NOERROR') return unresolved;
      return follow(asked.message, host, type).records.map(({ data }) => data);
    }),
  );
  const addresses = found.flatMap((result) => ('failure' in result ? [] : result));
  const failed = found.find((result) => 'failure' in result);
  return failed ?? (addresses.length === 0 ? unresolved : addresses);
}

function hostOf(name: string): string | null {
  try {
    return dnsName(name);
  } catch {
    return null;
  }
}

const unresolved = { failure: 'unresolved' } as const;

interface Question {
  /** As `dnsName` gives it. */
  readonly name: string;
  readonly type: DnsType;
  readonly checking: 'checked' | 'unchecked';
}

/** Asks one resolver after the other until one answers; each may take its share of the time that is left. */
async function ask(
  { name, type, checking }: Question,
  resolvers: readonly string[],
  deadline: number,
  platform: DnsPlatform,
  userAgent: string,
): Promise<{ message: Message; url: string } | { failure: 'timeout' | 'unresolved' }> {
  const body = encodeQuery(name, type, checking);
  const headers = { Accept: mediaType, 'Content-Type': mediaType, 'User-Agent': userAgent };
  let failure: 'timeout' | 'unresolved' = 'unresolved';
  let refusal: { message: Message; url: string } | null = null;
  for (const [at, url] of resolvers.entries()) {
    // Whatever becomes of the clock meanwhile.
    const leftMs = Math.min(deadline - platform.now(), lookupTimeoutMs);
    const timeoutMs = Math.floor(leftMs / (resolvers.length - at));
    if (timeoutMs <= 0) return refusal ?? { failure: 'timeout' };
    const result = await platform.fetch({ method: 'POST', url, headers, body, timeoutMs, maxBodyBytes });
    if ('failure' in result) {
      if (result.failure === 'timeout') failure = 'timeout';
      continue;
    }
    const answersDns = result.headers['content-type']?.split(';')[0]?.trim().toLowerCase() === mediaType;
    const message = result.status === 200 && answersDns ? decodeAnswer(result.body, name, type) : null;
    if (message === null) continue;
    if (statusOf(message) !== 'REFUSED') return { message, url };
    // It may not serve us, which the next one may.
    refusal ??= { message, url };
  }
  return refusal ?? { failure };
}
