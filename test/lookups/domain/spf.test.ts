/** What SPF says about senders that a record does not list. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spfOf } from '../../../src/lookups/domain/spf.ts';
import { failed, missing, txt } from './findings.ts';

const kindOf = (...texts: string[]) => spfOf(txt('example.com', ...texts)).kind;

test('reads what applies to other senders', () => {
  for (const [text, kind] of [
    ['v=spf1 -all', 'fail'],
    ['V=SPF1 MX -ALL', 'fail'],
    ['v=spf1 include:_spf.example.net ~all', 'softfail'],
    ['v=spf1 ?all', 'neutral'],
    ['v=spf1', 'neutral'],
    ['v=spf1 mx', 'neutral'],
    ['v=spf1 +all', 'open'],
    ['v=spf1 all', 'open'],
    // What follows `all` has no effect.
    ['v=spf1 -all +all redirect=example.net', 'fail'],
    ['v=spf1 -all  ', 'fail'],
    ['v=spf1 redirect=_spf.example.net', 'redirect'],
    ['v=spf1 redirect=_spf.example.net -all', 'fail'],
    ['v=spf10 -all', 'none'],
    ['spf1 -all', 'none'],
  ] as const)
    assert.equal(kindOf('other', text), kind, text);
  assert.deepEqual(spfOf(txt('example.com', 'v=spf1 redirect=_spf.example.net')), {
    kind: 'redirect',
    name: '_spf.example.net',
  });
});

test('recognizes blocks that contain every address', () => {
  for (const text of [
    'v=spf1 ip4:0.0.0.0/0 -all',
    'v=spf1 +IP4:0.0.0.0/1 ip4:128.0.0.0/1 -all',
    'v=spf1 ip4:128.0.0.0/2 ip4:192.0.0.0/2 ip4:0.0.0.0/1 ip4:10.0.0.0/8 ~all',
    'v=spf1 ip6:::/0 -all',
    'v=spf1 ip6:8000::/1 ip6:::/1',
  ])
    assert.equal(kindOf(text), 'open', text);
  for (const text of [
    'v=spf1 ip4:0.0.0.0/1 ip6:8000::/1 -all',
    'v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/2 -all',
    'v=spf1 -ip4:0.0.0.0/0 -all',
    'v=spf1 -all ip4:0.0.0.0/0',
  ])
    assert.equal(kindOf(text), 'fail', text);
});

test('accepts every term of the grammar', () => {
  for (const term of [
    'A',
    'a:mail.example.com/24//64',
    'a//128',
    'mx/32',
    '?mx:example.com.//0',
    'ptr',
    'ptr:example.com',
    '~ip4:192.0.2.0/1',
    'ip6:2001:db8::/32',
    'ip6:::ffff:192.0.2.1',
    'include:_spf.1.example.co-m.x1',
    'exists:%{ir}.%{v}._spf.%{D2}',
    'exists:%{l1r-+,/_=}.x%_y%-z%%.example.com',
    'include:a/b.example',
    'exp=explain.%{d}',
    'ra=postmaster',
    'x-y.z_=',
    'ip4=192.0.2.1',
  ])
    assert.equal(kindOf(`v=spf1 ${term} -all`), 'fail', term);
});

test('finds a syntax error in any term, which is an error for receivers', () => {
  for (const term of [
    'ip4:192.0.2.0/33',
    'ip4:192.0.2.0/08',
    'ip4:192.0.2.0/',
    'ip4:300.1.1.1',
    'ip4:192.0.2',
    'ip4:2001:db8::1',
    'ip4',
    'ip4:',
    'ipv4:192.0.2.1',
    'ip6:192.0.2.1',
    'ip6:2001:db8::/129',
    'ip6:2001:db8',
    'include:',
    'include',
    'include:localhost',
    'include:192.0.2.1',
    'include:exa_mple.com_',
    'include:münchen.example',
    'spf.example.net',
    'a:',
    'a:example.com/33',
    'mx/24/64',
    'ptr/24',
    'exists',
    'exists:%{x}.example.com',
    'exists:100%.example.com',
    'redirect=',
    '-redirect=example.net',
    'exp=',
    'all:example.com',
    'al',
    'all.',
    '--all',
    '-',
    'a\tmx',
    'x=%',
    '1=2',
  ])
    assert.deepEqual(
      spfOf(txt('example.com', `v=spf1 +ip4:0.0.0.0/0 -all ${term}`)),
      { kind: 'invalid', problem: term },
      term,
    );
  for (const name of ['redirect', 'exp'])
    assert.deepEqual(spfOf(txt('example.com', `v=spf1 ${name}=a.example ${name.toUpperCase()}=b.example`)), {
      kind: 'invalid',
      problem: `${name} occurs twice`,
    });
});

test('a hostile record is quoted only in part', () => {
  for (const piece of ['a', '.a', 'a-', '%{d', '%{d}', '.1', '/1', '%%']) {
    const found = spfOf(txt('example.com', `v=spf1 include:${piece.repeat(65_000 / piece.length)}!`));
    assert.ok(found.kind === 'invalid' && found.problem.length < 120, piece);
  }
});

test('distinguishes several records, none, and a failed answer', () => {
  assert.equal(kindOf('v=spf1 -all', 'v=spf1 ~all'), 'several');
  assert.equal(spfOf(missing('example.com')).kind, 'none');
  assert.equal(spfOf(failed('example.com')).kind, 'unknown');
});
