/** Real resolvers with policies, aliases, DNAME and blocks of reverse zones: what DNS lookups state about their answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { DnsAnswer } from '../../src/lookups/dns/schema.ts';
import { runInNamespace, skipWithoutNamespaces } from '../network-namespace.ts';

const scenario = fileURLToPath(new URL('resolver-answers-scenario.ts', import.meta.url));
const unknown = /it is not known whether the name exists and what it has\..* The resolver adds: /;

const expectations: readonly (readonly [
  name: string,
  type: string,
  resolver: 'knot' | 'pdns' | 'unbound',
  exists: boolean | null,
  data: readonly string[],
  note: RegExp,
])[] = [
  ['denied.example', 'A', 'knot', null, [], unknown],
  ['www.denied.example', 'MX', 'knot', null, [], /The resolver adds: Blocked/],
  ['refused.example', 'A', 'knot', null, [], /does not serve this client.* The resolver adds: Prohibited/],
  ['forged.example', 'A', 'knot', null, ['192.0.2.7'], /These records are not those of its zone.*Forged Answer/],
  ['router.local', 'A', 'knot', false, [], /mDNS.* The resolver adds: Not Supported/],
  ['1.0.0.10.in-addr.arpa', 'PTR', 'knot', false, [], /private addresses/],
  ['missing.example', 'A', 'pdns', null, [], /by law.*Censored \(order 12\)/],
  ['empty.example', 'A', 'pdns', null, [], unknown],
  ['address.example', 'A', 'pdns', null, ['192.0.2.9'], /These records are not those of its zone/],
  ['a.example.com', 'A', 'unbound', true, ['192.0.2.1'], /of b\.example\.com, and the chain of aliases ends at c\.exa/],
  [
    'b.example.com',
    'A',
    'unbound',
    true,
    ['192.0.2.1'],
    /^b\.example\.com is an alias \(CNAME\) of c\.example\.com, which/,
  ],
  ['a.example.com', 'CNAME', 'unbound', true, ['b.example.com'], /^$/],
  ['a.example.com', 'MX', 'unbound', true, [], /ends at c\.example\.com, which exists but has no MX record/],
  ['dangling.example.com', 'A', 'unbound', true, [], /of a\.gone\.example\.com, which does not exist/],
  [
    'www.old.example.com',
    'A',
    'unbound',
    true,
    ['192.0.2.2'],
    /by the DNAME record of old\.example\.com\) of www\.new/,
  ],
  ['x.wild.example.com', 'A', 'unbound', true, [], /exists but has no A record/],
  [
    'empty.example.com',
    'A',
    'unbound',
    true,
    [],
    /or names below it\. Resolvers may cache this for at most 600 seconds/,
  ],
  [
    'no.example.com',
    'A',
    'unbound',
    false,
    [],
    /the zone example\.com.*at most 600 seconds; this one does so for \d+ more/,
  ],
  ['192.0.2.5', 'PTR', 'unbound', true, ['host.example.com'], /alias \(CNAME\) of 5\.0\/25\.2\.0\.192\.in-addr\.arpa/],
  ['5.0/25.2.0.192.in-addr.arpa', 'PTR', 'unbound', true, ['host.example.com'], /^$/],
  ['0/25.2.0.192.in-addr.arpa', 'NS', 'unbound', true, ['ns.example.com'], /^$/],
];

test('answers of Knot Resolver, PowerDNS Recursor and Unbound', {
  skip: skipWithoutNamespaces('ip', 'setpriv', 'kresd', 'pdns_recursor', 'unbound'),
}, async () => {
  const queries = JSON.stringify(expectations.map((each) => each.slice(0, 3)));
  const answers = (await runInNamespace('ip link set lo up; exec "$@"', scenario, [queries])) as DnsAnswer[];
  for (const [at, [name, type, , exists, data, note]] of expectations.entries()) {
    const answer = answers[at];
    const what = `${type} ${name}: ${answer?.note}`;
    assert.equal(answer?.exists, exists, what);
    assert.deepEqual(
      answer.records.map((record) => record.data),
      data,
      what,
    );
    assert.match(answer.note ?? '', note, what);
  }
});
