/** The redirection of port 53 in docs/deploy/dns.md: for a secondary address, over UDP and TCP, and beside another DNS server. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runInNamespace, skipWithoutNamespaces, twoNetworks } from '../network-namespace.ts';

const page = readFileSync(new URL('../../docs/deploy/dns.md', import.meta.url), 'utf8');
const rules = [...page.matchAll(/^sudo (nft .*)$/gm)].map(([, command]) => command);
const setUp = `${twoNetworks}
  for n in 9 8 7; do ip addr add 203.0.113.$n/24 dev inside; ip addr add 2001:db8::$n/64 dev inside nodad; done
  nsenter --net -t $peer sh -c 'ip addr add 203.0.113.1/24 dev outside; ip addr add 2001:db8::1/64 dev outside nodad'
  ${rules.join('\n')}
  "$@" $peer
`;
const scenario = fileURLToPath(new URL('dns-redirection-scenario.ts', import.meta.url));

test('queries reach the service on each address of the rules, which shows their senders, and no other address changes', {
  skip: skipWithoutNamespaces('nft', 'dig'),
}, async () => {
  assert.equal(rules.length, 4);
  const { 'another server': another, ...own } = (await runInNamespace(setUp, scenario)) as Record<string, string>;
  assert.equal(another, 'ns.other.example.\n');
  assert.equal(Object.keys(own).length, 4);
  for (const [server, text] of Object.entries(own)) {
    const [address, transport] = server.split(' ');
    const client = address?.includes(':') ? '2001:db8::1' : '203.0.113.1';
    assert.ok(text.startsWith(`"address=${client}" `), `${server}: ${text}`);
    assert.ok(text.includes(`"transport=${transport === 'tcp' ? 'tcp' : 'udp'}"`), text);
  }
});
