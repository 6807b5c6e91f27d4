/** What the row "Mail policy" of a report says: a test for each state, in the order of the states. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dmarcNames, dmarcOf } from '../../../src/lookups/domain/dmarc.ts';
import type { Finding } from '../../../src/lookups/domain/finding.ts';
import { mailPolicy } from '../../../src/lookups/domain/mail-policy.ts';
import { spfOf } from '../../../src/lookups/domain/spf.ts';
import { failed, findingOf, missing, txt, unanswered } from './findings.ts';

interface State {
  readonly name?: string;
  /** Records at `_dmarc.` and the name, by name; a finding that replaces the answer. */
  readonly dmarc?: Readonly<Record<string, string | readonly string[] | Finding>>;
  readonly spf?: string | readonly string[] | Finding;
  readonly mx?: readonly string[] | Finding;
  readonly a?: readonly string[] | Finding;
  readonly exists?: boolean;
}

const isFinding = (value: unknown): value is Finding =>
  typeof value === 'object' && value !== null && 'failure' in value;
const textsOf = (value: string | readonly string[]): readonly string[] => (typeof value === 'string' ? [value] : value);

function policyOf({
  name = 'example.com',
  dmarc = {},
  spf = [],
  mx = ['10 mail.example.com'],
  a = ['192.0.2.1'],
  exists = true,
}: State) {
  const findings = dmarcNames(name).map((each) => {
    const found = dmarc[each.replace('_dmarc.', '')];
    if (found === undefined) return missing(each);
    return isFinding(found) ? found : txt(each, ...textsOf(found));
  });
  const status = exists ? 'NOERROR' : 'NXDOMAIN';
  const { look, brief, sentences } = mailPolicy({
    name,
    exists,
    dmarc: dmarcOf(findings, exists),
    spf: isFinding(spf) ? spfOf(spf) : spfOf(findingOf(name, 'TXT', { data: textsOf(spf), status })),
    mx: isFinding(mx) ? mx : findingOf(name, 'MX', { data: exists ? mx : [], status }),
    addresses: [
      isFinding(a) ? a : findingOf(name, 'A', { data: exists ? a : [], status }),
      findingOf(name, 'AAAA', { status }),
    ],
  });
  return { look, brief, text: sentences.join(' ') };
}

const limits = ' DKIM keys are not evaluated.';
const reject = { 'example.com': 'v=DMARC1; p=reject' };

/** Number and state as in the table, what it says, and how it looks. */
const rows: readonly (readonly [string, State, RegExp, string, string])[] = [
  [
    '1. SPF +all',
    { dmarc: reject, spf: 'v=spf1 +all' },
    /^Anyone passes SPF.*does not stop forged mail, whatever/,
    'bad',
    'SPF passes anyone',
  ],
  [
    '1. SPF blocks of every address',
    { spf: 'v=spf1 ip4:0.0.0.0/0 -all' },
    /^Anyone passes SPF/,
    'bad',
    'SPF passes anyone',
  ],
  [
    '2. reject',
    { dmarc: reject, spf: 'v=spf1 -all' },
    /^Receivers are requested to reject .*\(DMARC, p=reject, at _dmarc\.example\.com\)/,
    'good',
    'DMARC reject',
  ],
  [
    '3. quarantine',
    { dmarc: { 'example.com': 'v=DMARC1; p=quarantine' }, spf: 'v=spf1 -all' },
    /as suspicious, usually as spam/,
    'good',
    'DMARC quarantine',
  ],
  [
    '4. none',
    { dmarc: { 'example.com': 'v=DMARC1; p=none; rua=mailto:d@example.com' }, spf: 'v=spf1 -all' },
    /to do nothing .*only gets reports \(/,
    'warn',
    'DMARC none',
  ],
  [
    '4. none, with reports about single messages',
    { dmarc: { 'example.com': 'v=DMARC1; p=quarantine; t=y; ruf=mailto:d@example.com' }, spf: 'v=spf1 -all' },
    /to do nothing .*only gets reports \(/,
    'warn',
    'DMARC none',
  ],
  [
    // RFC 9989 §4.7: without rua, no aggregate reports are sent, and without ruf none about single messages.
    '4. none, without an address for reports',
    { dmarc: { 'example.com': 'v=DMARC1; p=none;' }, spf: 'v=spf1 -all' },
    /to do nothing about .* address, and the record names no address for reports \(DMARC, p=none/,
    'warn',
    'DMARC none',
  ],
  [
    '5. t=y',
    { dmarc: { 'example.com': 'v=DMARC1; p=reject; t=y' }, spf: 'v=spf1 -all' },
    /as suspicious.*testing \(t=y\): reject counts as quarantine\./,
    'warn',
    'DMARC quarantine',
  ],
  [
    '6. pct',
    { dmarc: { 'example.com': 'v=DMARC1; p=reject; pct=20' }, spf: 'v=spf1 -all' },
    /pct=20 was removed from DMARC, but older receivers apply the policy to only 20 %/,
    'warn',
    'DMARC reject',
  ],
  [
    '7. inherited',
    { name: 'www.example.com', dmarc: { 'example.com': 'v=DMARC1; p=none; sp=reject' } },
    /reject .*\(DMARC, sp=reject, inherited from _dmarc\.example\.com\)/,
    'good',
    'DMARC reject',
  ],
  [
    '8. inherited, NXDOMAIN',
    { name: 'no.example.com', exists: false, dmarc: { 'example.com': 'v=DMARC1; p=none; np=reject' } },
    /np=reject, inherited/,
    'good',
    'DMARC reject',
  ],
  [
    '9. invalid, with rua',
    { dmarc: { 'example.com': 'v=DMARC1; p=x; rua=mailto:d@example.com' }, spf: 'v=spf1 -all' },
    /do nothing.*missing or not valid, so it counts as p=none/,
    'warn',
    'DMARC none',
  ],
  [
    '9. invalid, without rua',
    { dmarc: { 'example.com': 'v=DMARC1; p=x' } },
    /at _dmarc\.example\.com has no valid policy .* does not count\. No SPF and no DMARC/,
    'bad',
    'no DMARC',
  ],
  [
    '10. several DMARC records',
    { dmarc: { 'example.com': ['v=DMARC1; p=reject', 'v=DMARC1; p=none'] }, spf: 'v=spf1 -all' },
    /^Several DMARC records at _dmarc\.example\.com: receivers ignore them all\. No DMARC/,
    'warn',
    'no DMARC',
  ],
  [
    '10. a DMARC record that is none',
    { dmarc: { 'example.com': 'v=DMARC1 p=reject' }, spf: 'v=spf1 -all' },
    /^A TXT record at _dmarc\.example\.com does not begin with "v=DMARC1;", so receivers do not take it .*\. No DMARC/,
    'warn',
    'no DMARC',
  ],
  [
    '11. no DMARC, -all',
    { spf: 'v=spf1 -all' },
    /protects only the envelope sender; the visible From address is not protected/,
    'warn',
    'no DMARC',
  ],
  [
    '12. no DMARC, ~all',
    { spf: 'v=spf1 ~all' },
    /\(~all\) marks .* accepted all the same; the visible From address is not protected/,
    'warn',
    'no DMARC',
  ],
  [
    '13. no DMARC, ?all',
    { spf: 'v=spf1 ?all' },
    /states nothing about senders that it does not list\. There is no DMARC/,
    'bad',
    'no DMARC',
  ],
  ['13. no DMARC, no all', { spf: 'v=spf1 mx' }, /states nothing about senders/, 'bad', 'no DMARC'],
  [
    '14. redirect',
    { spf: 'v=spf1 redirect=_spf.example.net' },
    /record of _spf\.example\.net decides .*which is not known/,
    'warn',
    'no DMARC',
  ],
  [
    '15. several SPF records',
    { spf: ['v=spf1 -all', 'v=spf1 ~all'] },
    /Several SPF records are an error for receivers: SPF never passes/,
    'bad',
    'no DMARC, SPF error',
  ],
  [
    '15. SPF with a syntax error',
    { spf: 'v=spf1 ip4:192.0.2.0/33 -all' },
    /^The SPF record has a syntax error \(ip4:192\.0\.2\.0\/33\), which is an error for receivers: SPF never passes\. There is no DMARC/,
    'bad',
    'no DMARC, SPF error',
  ],
  [
    '15. SPF over its limits',
    { spf: `v=spf1${' a:mail.example.com'.repeat(11)} -all` },
    /^SPF ends in an error for receivers \(permerror\): it needs more than 10 lookups of DNS \(RFC 7208 §4\.6\.4\)\. .*neither passes nor rejects\. There is no DMARC/,
    'bad',
    'no DMARC, SPF error',
  ],
  [
    '15. SPF over its limits, with DMARC',
    { dmarc: reject, spf: `v=spf1${' a:mail.example.com'.repeat(11)} -all` },
    /^Receivers are requested to reject .* SPF ends in an error for receivers/,
    'good',
    'DMARC reject, SPF error',
  ],
  [
    '16. no SPF, reject',
    { dmarc: reject },
    /no SPF; the From address is protected all the same, .* by DKIM/,
    'good',
    'DMARC reject',
  ],
  ['17. nothing', {}, /^No SPF and no DMARC: anyone can send mail in this name\./, 'bad', 'no DMARC'],
  [
    '18. null MX and -all',
    { mx: ['0 .'], spf: 'v=spf1 -all', dmarc: reject },
    /this domain neither receives nor sends mail/,
    'good',
    'DMARC reject',
  ],
  [
    '18. null MX of a domain that only sends',
    { mx: ['0 .'], spf: 'v=spf1 ip4:192.0.2.0/24 -all', dmarc: reject },
    /SPF rejects other senders \(-all\)\. The null MX states that this domain accepts no mail \(RFC 7505\)/,
    'good',
    'DMARC reject',
  ],
  ['18. null MX alone', { mx: ['0 .'], dmarc: reject }, /accepts no mail \(RFC 7505\)/, 'good', 'DMARC reject'],
  [
    '19. no MX, but an address',
    { mx: [], dmarc: reject },
    /no MX record: mail to example\.com goes to its IP address/,
    'good',
    'DMARC reject',
  ],
  [
    '20. DMARC fails',
    { dmarc: { 'example.com': failed('_dmarc.example.com') }, spf: 'v=spf1 -all' },
    /^What receivers do is not known: the DMARC record of _dmarc\.example\.com could not be read\. .*SERVFAIL/,
    'unknown',
    'DMARC not known',
  ],
  [
    '20. DMARC times out on the way',
    { name: 'www.example.com', dmarc: { 'example.com': unanswered('_dmarc.example.com') }, spf: 'v=spf1 -all' },
    /^What receivers do is not known: .*within 5 seconds/,
    'unknown',
    'DMARC not known',
  ],
  [
    '20. SPF fails',
    { dmarc: reject, spf: failed('example.com') },
    /reject .*SPF could not be read.*SERVFAIL.*If it lets anyone pass/,
    'unknown',
    'DMARC reject',
  ],
];

for (const [title, state, says, look, brief] of rows)
  test(title, () => {
    const policy = policyOf(state);
    assert.match(policy.text, says);
    assert.ok(policy.text.endsWith(limits), policy.text);
    assert.deepEqual([policy.look, policy.brief], [look, brief]);
    // Nothing is said about absence that is not known.
    if (look === 'unknown') assert.doesNotMatch(policy.text, /No SPF|No DMARC|no DMARC|no SPF|anyone can/);
  });

test('a name that does not exist, without an inherited policy, states none', () => {
  const { text, look } = policyOf({ exists: false });
  assert.deepEqual([text, look], ['example.com does not exist (NXDOMAIN), so it states no policy for mail.', 'none']);
});

test('says which part of SPF is not known', () => {
  const sentencesOf = (text: string, followed: readonly Finding[] = []) => {
    const spf = spfOf(txt('example.com', text), followed);
    const dmarc = dmarcOf([txt('_dmarc.example.com', 'v=DMARC1; p=none')], true);
    const mx = findingOf('example.com', 'MX', { data: ['10 mail.example.com'] });
    return mailPolicy({ name: 'example.com', exists: true, dmarc, spf, mx, addresses: [] }).sentences.join(' ');
  };
  assert.match(
    sentencesOf('v=spf1 include:list.example -all', [failed('list.example')]),
    /\(-all\)\. This leaves out the TXT records of list\.example, to which SPF refers: list\.example could not be resolved/,
  );
  assert.match(
    sentencesOf('v=spf1 exists:%{i}.list.example -all'),
    /and terms of SPF that depend on the sender, are not/,
  );
  assert.match(
    sentencesOf('v=spf1 redirect=list.example', [failed('list.example')]),
    /record of list\.example decides about other senders \(redirect\), which is not known/,
  );
});

test('says whether mail is received only as far as it is known', () => {
  assert.match(policyOf({ mx: failed('example.com', 'MX') }).text, /Whether it receives mail is not known/);
  assert.match(
    policyOf({ mx: [], a: failed('example.com', 'A') }).text,
    /whether mail goes to an IP address is not known/,
  );
  assert.match(policyOf({ mx: [], a: [] }).text, /no MX record and no IP address: it receives no mail/);
  const noMx = findingOf('example.com', 'MX', { status: 'NXDOMAIN' });
  assert.match(policyOf({ mx: noMx }).text, /no MX record: mail to example\.com goes to its IP address/);
  assert.match(policyOf({ mx: ['0 .', '10 mail.example.com'], spf: 'v=spf1 -all' }).text, /MX records contradict each/);
  assert.match(policyOf({ mx: ['0 .', '10 .'] }).text, /this domain accepts no mail/);
});
