/** Runs in a network namespace: resolvers with policies and zones of the test's own; prints what DNS lookups return through them. */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutboundRequest, OutboundResult } from '../../src/core/platform.ts';
import { createDnsClient, dnsLookup } from '../../src/lookups/dns/dns-lookup.ts';
import { parseDnsType } from '../../src/lookups/dns/name.ts';
import { platformOf } from '../platform.ts';

/** A name, a type, and the resolver to query. */
const queries = JSON.parse(process.argv[2] ?? '[]') as readonly (readonly [
  name: string,
  type: string,
  resolver: string,
])[];

const folder = mkdtempSync(join(tmpdir(), 'seenby-answers-'));
const file = (name: string) => join(folder, name);

const files = {
  'kresd.conf': `
net.listen('127.0.0.1', 5301, { kind = 'dns' })
cache.size = 10 * MB
trust_anchors.remove('.')
modules = { 'policy' }
policy.add(policy.suffix(policy.DENY_MSG('not here'), policy.todnames({'denied.example'})))
policy.add(policy.suffix(policy.REFUSE, policy.todnames({'refused.example'})))
policy.add(policy.suffix(
  policy.ANSWER({ [kres.type.A] = { rdata = kres.str2ip('192.0.2.7'), ttl = 300 } }), policy.todnames({'forged.example'})))
`,
  'rpz.zone': `$ORIGIN rpz.
@ 60 IN SOA a. b. 1 2 3 4 60
@ 60 IN NS a.
missing.example 60 IN CNAME .
empty.example 60 IN CNAME *.
address.example 60 IN A 192.0.2.9
`,
  'recursor.lua': `rpzFile("${file('rpz.zone')}", {policyName = "rpz", extendedErrorCode = 16, extendedErrorExtra = "order 12"})`,
  'recursor.conf': `
local-address=127.0.0.1
local-port=5302
lua-config-file=${file('recursor.lua')}
extended-resolution-errors=yes
socket-dir=${folder}
security-poll-suffix=
write-pid=no
disable-syslog=yes
`,
  'domain.zone': `$ORIGIN example.com.
@ 300 IN SOA ns host 1 7200 3600 1209600 600
@ 300 IN NS ns
ns 300 IN A 127.0.0.1
a 300 IN CNAME b
b 300 IN CNAME c
c 300 IN A 192.0.2.1
dangling 300 IN CNAME a.gone
old 300 IN DNAME new
www.new 300 IN A 192.0.2.2
*.wild 300 IN TXT "any"
deep.empty 300 IN A 192.0.2.3
`,
  // RFC 2317 §4: the provider's zone has an alias for each address, and a block in the zone of the customer.
  'provider.zone': `$ORIGIN 2.0.192.in-addr.arpa.
@ 300 IN SOA ns.example.com. host.example.com. 1 7200 3600 1209600 600
@ 300 IN NS ns.example.com.
5 300 IN CNAME 5.0/25
0/25 300 IN NS ns.example.com.
`,
  'customer.zone': `$ORIGIN 0/25.2.0.192.in-addr.arpa.
@ 300 IN SOA ns.example.com. host.example.com. 1 7200 3600 1209600 600
@ 300 IN NS ns.example.com.
5 300 IN PTR host.example.com.
`,
  'unbound.conf': `
server:
  use-syslog: no
  do-daemonize: no
  username: ""
  chroot: ""
  pidfile: ""
  directory: "${folder}"
  interface: 127.0.0.1@5303
  access-control: 127.0.0.0/8 allow
  module-config: "iterator"
  local-zone: "2.0.192.in-addr.arpa." nodefault
remote-control:
  control-enable: no
${Object.entries({ domain: 'example.com', provider: '2.0.192.in-addr.arpa', customer: '0/25.2.0.192.in-addr.arpa' })
  .map(([zone, name]) => `auth-zone:\n  name: "${name}"\n  zonefile: "${zone}.zone"\n  for-downstream: no\n`)
  .join('')}`,
};
for (const [name, content] of Object.entries(files)) writeFileSync(file(name), content);

const resolvers = {
  knot: { port: 5301, command: 'kresd', args: ['-n', '-q', '-c', file('kresd.conf'), folder] },
  pdns: { port: 5302, command: 'pdns_recursor', args: [`--config-dir=${folder}`] },
  unbound: { port: 5303, command: 'unbound', args: ['-d', '-c', file('unbound.conf')] },
};

/** Sends the message of a lookup to the port over UDP, again until there is an answer: the resolver may still start. */
async function exchange(port: number, { body }: OutboundRequest): Promise<OutboundResult> {
  const socket = createSocket('udp4').on('error', () => {});
  socket.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const send = () => socket.send(body ?? '', () => {});
  const repeated = setInterval(send, 200);
  send();
  // Its errors say that the port is not open yet.
  const message = await new Promise<Uint8Array>((resolve) => socket.once('message', resolve));
  clearInterval(repeated);
  socket.close();
  return { status: 200, headers: { 'content-type': 'application/dns-message' }, setCookies: [], body: message };
}

const children = Object.values(resolvers).map(({ command, args }) =>
  spawn('setpriv', ['--pdeathsig', 'KILL', command, ...args], { stdio: 'ignore' }),
);
const answers = await Promise.all(
  queries.map(([name, type, resolver]) => {
    const { port } = resolvers[resolver as keyof typeof resolvers];
    const platform = platformOf({
      resolvers: [`https://${resolver}.example/`],
      fetch: (request) => exchange(port, request),
    });
    return dnsLookup(name, parseDnsType(type), createDnsClient(platform, 'Seenby/0 (test)'));
  }),
);
for (const child of children) child.kill('SIGKILL');
rmSync(folder, { recursive: true, force: true });
process.stdout.write(JSON.stringify(answers));
