/** Every text states the limits that the operator set, or none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RateSettings } from '../../src/core/limits.ts';
import { createApp } from '../../src/http/app.ts';
import { seenAll } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { bodyOf } from '../request-context.ts';

/** The texts of a deployment in which limits are stated. */
async function textsOf(settings: RateSettings): Promise<Record<string, string>> {
  const app = createApp({ publicUrl: 'https://seenby.example', contact: null, ...settings });
  const read = async (path: string, headers: Record<string, string> = {}, message?: object) => {
    const method = message === undefined ? 'GET' : 'POST';
    const response = await app(
      { ...seenAll, path, method, headers },
      platformOf(),
      bodyOf(JSON.stringify(message ?? '')),
    );
    assert.equal(response.status, 200, path);
    return `${response.body}`;
  };
  const send = (method: string, params: object = {}) =>
    read('/mcp', { 'content-type': 'application/json' }, { jsonrpc: '2.0', id: 1, method, params });
  const info = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  return {
    instructions: JSON.parse(await send('initialize', info)).result.instructions,
    tools: JSON.parse(await send('tools/list'))
      .result.tools.map(({ description = '' }) => description)
      .join('\n'),
    openapi: await read('/openapi.json'),
    llms: await read('/llms.txt'),
    docs: sectionOf(await read('/docs', { accept: 'text/html' }), /id="limits".*id="errors"/s),
    page: sectionOf(await read('/', { accept: 'text/html' }), /id="lookups".*?<form/s),
  };
}

const sectionOf = (page: string, section: RegExp): string => section.exec(page)?.[0] ?? assert.fail('no such section');

test('documents and tools state the limits that were set', async () => {
  const texts = await textsOf({ rateLimitGeneral: 71, rateLimitLookup: 73, rateLimitTools: 79 });
  for (const name of ['openapi', 'llms', 'docs'])
    for (const limit of [71, 73, 79, 316]) assert.match(texts[name] ?? '', new RegExp(`\\b${limit}\\b`), name);
  for (const name of ['instructions', 'tools', 'page']) assert.match(texts[name] ?? '', /\b73\b.*\b60 seconds/, name);
  for (const [name, text] of Object.entries(texts)) assert.doesNotMatch(text, /\b(?:600|2400)\b/, name);
});

test('documents and tools state no limit if there is none', async () => {
  const texts = await textsOf({ rateLimitGeneral: 0, rateLimitLookup: 0, rateLimitTools: 0, rateLimitDocuments: 0 });
  for (const name of ['openapi', 'llms']) assert.match(texts[name] ?? '', /There are no rate limits\./, name);
  assert.match(texts.docs ?? '', /no limit/);
  for (const [name, text] of Object.entries(texts))
    assert.doesNotMatch(text, /\b(?:600|2400)\b|higher limits|\d+ lookups|limit of \d|Limit: \d/, name);
});
