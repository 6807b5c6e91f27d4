/** Hosts that a request may name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAuthority, targetOf } from '../../../src/ingress/message/target.ts';

const valid = [
  'seenby.example',
  'a-b.c1.example',
  'SEENBY.Example',
  'localhost',
  'localhost:8080',
  '192.0.2.1',
  '[2001:db8::1]:443',
];
const invalid = [
  '',
  '192.0.2.256',
  'a.1',
  'a.example:65536',
  'a b.example',
  'user@a.example',
  'a/b',
  '[::1',
  'a'.repeat(256),
];

test('accepts hosts with and without a port', () => {
  assert.deepEqual(
    valid.filter((host) => !isAuthority(host)),
    [],
  );
});

test('rejects what is no host, also if it looks like a usual name', () => {
  assert.deepEqual(invalid.filter(isAuthority), []);
});

test('reads the host of the absolute form, which must have one and no user', () => {
  const of = (url: string) => targetOf(url, 'b.example', { authority: null });
  assert.deepEqual(of('http://a.example?x'), { authority: 'a.example', path: '/', query: 'x' });
  for (const url of ['http:///a', 'http://?x', 'http://user@a.example/', 'http://a.example:65536/', 'ftp://a.example/'])
    assert.equal(of(url), null, url);
});

test('accepts no usual name that a URL cannot have', () => {
  const parts = ['a', 'Z', '-', '1', '.', 'xn--', '0x', 'com', '--'];
  for (let seed = 0; seed < 20_000; seed += 1) {
    let rest = seed * 7919;
    let name = '';
    for (; rest > 0; rest = Math.floor(rest / parts.length)) name += parts[rest % parts.length];
    assert.ok(!isAuthority(name) || URL.canParse(`http://${name}`), name);
  }
});
