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
    'v=spf1 ip4:0.0.0.0/33 ip4:x -all',
  ])
    assert.equal(kindOf(text), 'fail', text);
});

test('distinguishes several records, none, and a failed answer', () => {
  assert.equal(kindOf('v=spf1 -all', 'v=spf1 ~all'), 'several');
  assert.equal(spfOf(missing('example.com')).kind, 'none');
  assert.equal(spfOf(failed('example.com')).kind, 'unknown');
});
