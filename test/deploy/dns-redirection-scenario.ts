/**
 * Runs in a namespace with the rules of docs/deploy/dns.md, beside a second one (its argument): serves DNS on port 5353 of all addresses, and
 * another zone on port 53 of one of them. Prints what queries of the second namespace get.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createZone } from '../../src/edges/dns/zone.ts';
import { DnsServer } from '../../src/ingress/dns/server.ts';
import { optionsOf, zone } from '../ingress/dns/dns-server.ts';

const other = createZone({ zone: 'other.example', nameServers: ['ns.other.example'], addresses: [] });
const servers = [
  new DnsServer(optionsOf({ port: 5353, hosts: [] }).options),
  new DnsServer(optionsOf({ port: 53, hosts: ['203.0.113.8'], answer: other.answer }).options),
];
await Promise.all(servers.map((server) => server.listen()));
const [peer = ''] = process.argv.slice(2);
const dig = async (...args: readonly string[]): Promise<string> => {
  const command = ['--net', '-t', peer, 'dig', '+short', '+tries=2', '+time=5', ...args];
  return (await promisify(execFile)('nsenter', command)).stdout;
};
const results: Record<string, string> = {};
for (const address of ['203.0.113.7', '2001:db8::7'])
  for (const transport of ['notcp', 'tcp'])
    results[`${address} ${transport}`] = await dig(`@${address}`, `+${transport}`, `whoami.${zone}`, 'TXT');
results['another server'] = await dig('@203.0.113.8', 'other.example', 'NS');
process.stdout.write(JSON.stringify(results), () => process.exit());
