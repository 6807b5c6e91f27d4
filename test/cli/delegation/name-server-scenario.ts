/** Queries name servers in a network namespace without routes, and then without IPv6. Prints the reactions as JSON. */
import { queryNameServer } from '../../../src/cli/delegation/name-server.ts';

const reactionsOf = (address: string) =>
  Promise.all((['udp', 'tcp'] as const).map((transport) => queryNameServer(address, transport, 'dns.seen.example')));

const withoutRoute = { '192.0.2.1': await reactionsOf('192.0.2.1'), '2001:db8::1': await reactionsOf('2001:db8::1') };
await import('../../without-ipv6.ts');
process.stdout.write(JSON.stringify({ withoutRoute, withoutIpv6: await reactionsOf('::1') }));
