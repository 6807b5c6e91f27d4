/** The guide for language models has the shape they expect, and says what the lists say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prints } from '../../src/http/endpoint.ts';
import { endpoints } from '../../src/http/endpoints.ts';
import { llmsTxt } from '../../src/http/llms-txt.ts';
import { tools } from '../../src/mcp/tools.ts';

const base = 'https://seenby.example';
const guide = llmsTxt(endpoints, tools, base, null);

test('is a heading, a summary, a list of what matters, and sections of links', () => {
  const [beginning = '', ...sections] = guide.split(/^(?=## )/m);
  assert.match(beginning, /^# \w+\n\n> [^\n]+\n\n(?:- [^\n]+\n)+\n$/);
  assert.deepEqual(
    sections.map((section) => section.slice(3, section.indexOf('\n'))),
    ['Endpoints', 'Tools', 'Documents'],
  );
  for (const section of sections) {
    const lines = section.split('\n').filter((line) => line.startsWith('- '));
    assert.ok(lines.length > 2, section);
    for (const line of lines) assert.match(line, /^- \[[^\]]+\]\(https:\/\/seenby\.example\/[^)\s]*\): \S/);
  }
});

test('is short', () => {
  assert.ok(guide.length < 6000, String(guide.length));
});

test('names every endpoint with a call to try, every document and every tool', () => {
  for (const endpoint of endpoints.filter(prints)) {
    const { path, rates, parameter } = endpoint;
    assert.ok(guide.includes(`- [${path}](${base}${path}): `), path);
    const query = parameter === null ? '' : `?${parameter.name}=`;
    assert.equal(guide.includes(`\`curl '${base}${path}${query}`), rates.length > 0, path);
  }
  for (const { name } of tools) assert.ok(guide.includes(`- [${name}](${base}/mcp): `), name);
});

test('says what is promised and what is asked', () => {
  for (const sentence of [
    /No key and no sign-up/,
    /free, commercial use included/,
    /provided as is/,
    /never logged/,
    /an estimate/,
    /must not be the only signal for a security or fraud decision/,
    /do not call \/json from a page that every visitor loads/,
    /60 calls to the endpoints and 10 lookups/,
    /429 with Retry-After/,
    /IP Geolocation by DB-IP/,
  ])
    assert.match(guide, sentence);
});

test('says whom to ask for more', () => {
  assert.match(guide, /^- For more than 60 calls in 60 seconds ask the operator of this service\.$/m);
  for (const [contact, read] of [
    [{ email: 'ops@seenby.example' }, 'ops@seenby.example'],
    [{ url: 'https://seenby.example/contact' }, 'https://seenby.example/contact'],
  ] as const)
    assert.ok(llmsTxt(endpoints, tools, base, contact).includes(`in 60 seconds ask ${read}.\n`));
});
