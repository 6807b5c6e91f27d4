/** The page about proxies contains the list of headers; `UPDATE_GOLDEN=1` updates it. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { edgeHeaders } from '../../../src/edges/proxy/edge-headers.ts';

const page = new URL('../../../docs/deploy/proxies.md', import.meta.url);

test('lists every x-edge header with its field and format', () => {
  const rows = Object.entries(edgeHeaders).map(
    ([name, { field, description }]) => `| \`${name}\` | \`${field}\` | ${description} |\n`,
  );
  const expected = `| header | fills | value |\n| --- | --- | --- |\n${rows.join('')}`;
  const text = readFileSync(page, 'utf8');
  const [begin, end] = ['<!-- x-edge -->\n', '<!-- /x-edge -->'];
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  if (process.env.UPDATE_GOLDEN) writeFileSync(page, text.slice(0, from) + expected + text.slice(to));
  else assert.ok(text.slice(from, to) === expected, 'the x-edge table is stale: UPDATE_GOLDEN=1 npm run check');
});

test('deletes every header that nginx cannot set', () => {
  const nginx = readFileSync(new URL('nginx.conf', page), 'utf8').toLowerCase();
  for (const name of Object.keys(edgeHeaders)) assert.ok(nginx.includes(`proxy_set_header ${name} `), name);
});
