/** Looks up the certificates of a host on each of its addresses, and judges them. */
import { ServiceError } from '../../core/errors.ts';
import { handshakesTimeoutMs, tlsPorts } from '../../core/limits.ts';
import type { Platform } from '../../core/platform.ts';
import { createDnsClient } from '../dns/dns-lookup.ts';
import { caaNames } from '../domain/domain-records.ts';
import { climb, recordsOf } from '../domain/finding.ts';
import { targetFailures } from '../headers-check/check.ts';
import { normalizeHost, type TargetOptions, targetOf, withScheme } from '../headers-check/target.ts';
import { literalOf } from '../public-address.ts';
import type { CaaSearch } from './caa.ts';
import type { CertificateCheck } from './schema.ts';
import { summarize } from './summary.ts';

const defaultPort = 443;

interface CheckOptions extends TargetOptions {
  readonly userAgent: string;
}

/**
 * The host and the port to check, from a host name or an IP address, perhaps with a port, or from a URL. Throws `invalid_query`,
 * `invalid_target` or `blocked_address`.
 */
export function certificateTarget(text: string, options: TargetOptions) {
  const typed = text.trim();
  const isIpv6 = literalOf(typed)?.version === 6 && !typed.startsWith('[');
  const url = withScheme(isIpv6 ? `[${typed}]` : typed);
  try {
    const { hostname, port } = targetOf(url, { ports: tlsPorts, ...options });
    return { host: normalizeHost(hostname), port: port === '' ? defaultPort : Number(port) };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_url')
      throw new ServiceError('invalid_query', error.message);
    throw error;
  }
}

/** Throws the errors of `certificateTarget`; `not_enabled`, and those of `targetFailures` if the addresses of the host are not known. */
export async function certificateCheck(
  q: string,
  platform: Platform,
  options: CheckOptions,
): Promise<CertificateCheck> {
  const { host, port } = certificateTarget(q, options);
  if (platform.handshakes === undefined) throw new ServiceError('not_enabled');
  const [found, caa] = await Promise.all([
    platform.handshakes({ host, port, timeoutMs: handshakesTimeoutMs }),
    searchCaa(host, platform, options),
  ]);
  if ('failure' in found) throw new ServiceError(...targetFailures[found.failure]);
  return summarize({ host, port, found, caa, nowMs: platform.now() });
}

async function searchCaa(
  host: string,
  platform: Platform,
  { userAgent, privateAddresses = false }: CheckOptions,
): Promise<CaaSearch> {
  if (literalOf(host) !== null) return { unknown: 'CAA records are about names, not IP addresses.' };
  if (privateAddresses) return { unknown: 'Not tested, so that no resolver learns a private name.' };
  const client = createDnsClient(platform, userAgent, handshakesTimeoutMs);
  const caa = await climb(caaNames(host), 'CAA', { client, isFound: (finding) => recordsOf(finding).length > 0 });
  return { name: host, caa: [...caa] };
}
