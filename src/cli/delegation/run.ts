/** `seenby zone check`: prints what it finds about the delegation of DNS_ZONE. */
import type { Settings } from '../../core/settings.ts';
import { replaceControls } from '../../core/text.ts';
import { createOutbound } from '../../edges/node/outbound/outbound.ts';
import { createDnsClient, dnsLookup } from '../../lookups/dns/dns-lookup.ts';
import { outboundUserAgent } from '../../lookups/outbound.ts';
import { UsageError } from '../commands.ts';
import type { CliIo } from '../start.ts';
import { checkDelegation } from './check.ts';
import { queryAuthority, queryNameServer } from './name-server.ts';

/** Exit code 1 if something failed. */
export async function runZoneCheck(
  settings: Settings,
  { out }: Pick<CliIo, 'out'>,
): Promise<{ readonly exitCode: number }> {
  const { dnsZone: zone, dnsNameServers: nameServers, dohUrl: resolvers, publicUrl, rateLimitStore } = settings;
  if (zone === null) throw new UsageError('DNS_ZONE: set the zone to check, or use --dns-zone');
  await using opened = new AsyncDisposableStack();
  const outbound = createOutbound();
  opened.defer(outbound.end);
  const platform = { fetch: outbound.fetch, now: Date.now, resolvers };
  const resolve = (name: string, type: Parameters<typeof dnsLookup>[1]) =>
    dnsLookup(name, type, createDnsClient(platform, outboundUserAgent(publicUrl)));
  const findings = await checkDelegation({
    zone,
    nameServers,
    hasStore: rateLimitStore !== null,
    resolve,
    queryServer: queryNameServer,
    queryAuthority,
  });
  for (const { result, text } of findings) out.write(`${replaceControls(`${result.padEnd(7)}  ${text}`)}\n`);
  return { exitCode: findings.some(({ result }) => result === 'failed') ? 1 : 0 };
}
