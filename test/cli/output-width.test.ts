/** Output wraps on a terminal only, and a short line names its subject once. */
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { writeMmdb } from '../mmdb.ts';
import { runWith } from './run-with.ts';

const folder = mkdtempSync(join(tmpdir(), 'seenby-width-'));
after(() => rm(folder, { recursive: true }));
const asnFile = join(folder, 'asn.mmdb');
writeFileSync(asnFile, writeMmdb({ databaseType: 'ASN', ipVersion: 4, networks: {} }));
const offline = { DATA_DIR: folder, GEOIP_ASN: asnFile, DOH_URL: 'http://127.0.0.1:1' };

test('wraps to the width of a terminal, and never into a pipe', async () => {
  const words = ['ip', '81.2.69.142'];
  const longest = (text: string): number => Math.max(...text.split('\n').map(({ length }) => length));
  const piped = await runWith(words, offline);
  assert.match(piped.out, /^Data {10}.{67,}$/m);
  assert.ok(longest(stripVTControlCharacters((await runWith(words, offline, { isTTY: true, columns: 60 })).out)) <= 60);
  assert.equal((await runWith(words, offline, { columns: 60 })).out, piped.out);
});

test('prints the address of a short line once, also for several', async () => {
  const one = '81.2.69.142';
  const { out } = await runWith(['ip', one, '8.8.8.8', '::ffff:8.8.8.8', '--short'], offline);
  const [first = '', second = '', mapped = ''] = out.split('\n');
  assert.match(first, /^81\.2\.69\.142\t\w/);
  assert.match(second, /^8\.8\.8\.8\t\w/);
  // The label is what was typed.
  assert.match(mapped, /^::ffff:8\.8\.8\.8\t8\.8\.8\.8 · \w/);
  assert.match((await runWith(['ip', one, '--short'], offline)).out, /^81\.2\.69\.142 · \w/);
});
