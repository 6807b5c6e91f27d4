/** The page about proxies has the vocabulary as the list has it; `UPDATE_GOLDEN=1` writes it anew. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { edgeHeaders } from '../../../src/edges/proxy/edge-headers.ts';

const page = new URL('../../../docs/deploy/README.md', import.meta.url);

test('lists every x-edge header, what it fills and how it is written', () => {
  const rows = Object.entries(edgeHeaders).map(
    ([name, { fills, sentence }]) => `| \`${name}\` | \`${fills}\` | ${sentence} |\n`,
  );
  const expected = `| header | fills | value |\n| --- | --- | --- |\n${rows.join('')}`;
  const text = readFileSync(page, 'utf8');
  const [begin, end] = ['<!-- x-edge -->\n', '<!-- /x-edge -->'];
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  if (process.env.UPDATE_GOLDEN) writeFileSync(page, text.slice(0, from) + expected + text.slice(to));
  else assert.equal(text.slice(from, to), expected);
});

test('has every header that nginx cannot fill deleted there', () => {
  const nginx = readFileSync(new URL('nginx.conf', page), 'utf8').toLowerCase();
  for (const name of Object.keys(edgeHeaders)) assert.ok(nginx.includes(`proxy_set_header ${name} `), name);
});
