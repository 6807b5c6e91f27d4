/** The network of docs/deploy/workerd.capnp permits exactly the addresses that lookups may contact. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { contains, parseAddress, prefixOf } from '../../src/core/address.ts';
import { mayContact } from '../../src/lookups/public-address.ts';

const config = readFileSync(new URL('../../docs/deploy/workerd.capnp', import.meta.url), 'utf8');
const denied = [...(/deny = \[([^\]]*)\]/.exec(config)?.[1] ?? '').matchAll(/"([^"]+)"/g)].map(
  ([, block = '']) => block,
);
/** Blocks that workerd's `public` excludes, by a test of its version 2026-10-23. */
const excluded = ['10.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'];

function* samples(): Generator<string> {
  for (let high = 0; high < 65_536; high++) {
    yield `${high >> 8}.${high & 255}.0.1`;
    for (const octet of [168, 192, 198, 203]) yield `${octet}.${high >> 8}.${high & 255}.16`;
    yield `${high.toString(16)}::1`;
    for (const first of ['2001', '2002', '3fff']) yield `${first}:${high.toString(16)}::1`;
  }
}

test('denies what lookups reject and workerd counts as public, and nothing else', () => {
  const blocks = [...denied, ...excluded].map(prefixOf);
  for (const text of samples()) {
    const address = parseAddress(text);
    assert.ok(address !== null, text);
    assert.equal(
      blocks.some((block) => contains(block, address)),
      !mayContact(address),
      text,
    );
  }
});
