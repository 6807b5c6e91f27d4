/** Random SPF records, evaluated for a sender that none of them lists, by this service and by pyspf, which Debian has. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { roundsOf } from '../../random.ts';
import { evaluate, type Names } from './spf-names.ts';

/** Reads cases from its standard input, and prints a result for each. The sender has a host name, so that `ptr` finds something. */
const reference = `
import json, sys, spf
zones = {}
def lookup(name, qtype, strict=True, timeout=None, level=0):
    for value in zones.get(qtype + ' ' + name.lower().rstrip('.'), []):
        yield ((name, qtype), value)
spf.DNSLookup = lookup
results = []
for case in json.load(sys.stdin):
    zones = {'PTR 77.100.51.198.in-addr.arpa': ['sender.test'], 'A sender.test': ['198.51.100.77']}
    for key, values in case.items():
        kind = key.split(' ')[0]
        if kind == 'TXT': values = [(value.encode(),) for value in values]
        if kind == 'MX': values = [(int(value.split(' ')[0]), value.split(' ')[1]) for value in values]
        zones[key] = values
    results.append(spf.check2('198.51.100.77', 'someone@n0.example', 'sender.test')[0])
print(json.dumps(results))
`;
const isInstalled = existsSync('/usr/lib/python3/dist-packages/spf.py');

/** Another name than the own one, because pyspf rejects a record that refers to itself even behind a match. */
const name = fc.nat(6).map((n) => `@${n}`);
const qualifier = fc.constantFrom('', '', '+', '-', '~', '?');
const prefixLength = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom('/24', '/0') },
);
const mechanism = fc.oneof(
  { weight: 5, arbitrary: name.map((target) => `include:${target}`) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('a', 'mx'), name, prefixLength)
      .map(([kind, target, length]) => `${kind}:${target}${length}`),
  },
  { weight: 1, arbitrary: fc.constantFrom('a', 'mx', 'ptr', 'ptr:@1') },
  { weight: 1, arbitrary: name.map((target) => `exists:${target}`) },
  { weight: 1, arbitrary: fc.constantFrom('a:%{d1r}.example', 'a:%{d2}', 'mx:%{d}') },
  { weight: 3, arbitrary: fc.nat(200).map((n) => `ip4:192.0.2.${n}`) },
  { weight: 1, arbitrary: fc.constantFrom('ip4:0.0.0.0/0', 'ip6:2001:db8::/32', 'ip4:192.0.2.0/24') },
);
const ending = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('-all', '~all', '?all', 'all', '') },
  { weight: 1, arbitrary: fc.constantFrom('-all ip4:bad', 'foo', 'exp=@2 -all', 'redirect=') },
);
/** Only before `redirect`: pyspf counts it as a lookup even behind a match. */
const unmatched = fc.oneof(
  fc.tuple(fc.constantFrom('a', 'mx'), name).map(([kind, target]) => `${kind}:${target}`),
  fc.constantFrom('a', 'mx', 'ptr', 'ip4:192.0.2.201'),
);
const termsOf = (each: fc.Arbitrary<string>) =>
  fc.array(
    fc.tuple(qualifier, each).map((parts) => parts.join('')),
    { maxLength: 6 },
  );
const record = fc
  .oneof(
    { weight: 4, arbitrary: fc.tuple(termsOf(mechanism), ending) },
    {
      weight: 1,
      arbitrary: fc.tuple(
        termsOf(unmatched),
        name.map((target) => `redirect=${target}`),
      ),
    },
  )
  .map(([mechanisms, end]) => ['v=spf1', ...mechanisms, end].join(' ').trim());

/** What a name has; MX hosts have an address, because pyspf also counts their queries. */
const host = fc.record({
  txt: fc.oneof<fc.MaybeWeightedArbitrary<readonly string[]>[]>(
    { weight: 8, arbitrary: record.map((each) => [each]) },
    { weight: 1, arbitrary: fc.constantFrom([], ['no SPF']) },
    { weight: 1, arbitrary: fc.tuple(record, record).map((both) => both.map((each, at) => `${each} x=${at}`)) },
  ),
  hasAddress: fc.nat(3).map((n) => n > 0),
  mx: fc.oneof({ weight: 9, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.constant(11) }),
});
const names = fc.array(host, { minLength: 8, maxLength: 8 }).map(
  (hosts): Names =>
    Object.fromEntries([
      ['A host.example', ['192.0.2.250']],
      ...hosts.flatMap(({ txt, hasAddress, mx }, n) => [
        [
          `TXT n${n}.example`,
          txt.map((text) => text.replace(/@(\d)/g, (_, at) => `n${(n + 1 + Number(at)) % 8}.example`)),
        ],
        [`A n${n}.example`, hasAddress ? [`192.0.2.${n}`] : []],
        [`MX n${n}.example`, Array.from({ length: mx }, (_, at) => `${at} host.example`)],
      ]),
    ]),
);

const resultOf = {
  open: 'pass',
  invalid: 'permerror',
  several: 'permerror',
  unknown: 'temperror',
  redirect: 'unknown',
};

test('agrees with pyspf', { skip: isInstalled || process.env.CI ? false : 'needs python3-spf' }, () => {
  const seed = Number(process.env.SEENBY_FUZZ_SEED ?? 7208);
  const cases = fc.sample(names, { numRuns: roundsOf(3000), seed });
  const input = JSON.stringify(cases);
  const { stdout, stderr } = spawnSync('/usr/bin/python3', ['-c', reference], { input, encoding: 'utf8' });
  assert.ok(stdout !== '', stderr);
  const expected: readonly string[] = JSON.parse(stdout);
  for (const [at, each] of cases.entries()) {
    const spf = evaluate('n0.example', each);
    const result = resultOf[spf.kind as keyof typeof resultOf] ?? spf.kind;
    assert.equal(
      result,
      expected[at],
      `SEENBY_FUZZ_SEED=${seed} ${JSON.stringify(each, null, 1)}\n${JSON.stringify(spf)}`,
    );
  }
  assert.ok(new Set(expected).size >= 5, 'every result occurs');
});
