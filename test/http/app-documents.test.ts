/** Documents are rendered once, or for each request if they contain its Host. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpResponse } from '../../src/core/request-context.ts';
import { createApp } from '../../src/http/app.ts';
import { endpoints } from '../../src/http/endpoints.ts';
import { seenAll } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { noBody } from '../request-context.ts';

const contact = { url: 'https://seenby.example/contact' };
const documents = endpoints.filter((endpoint) => endpoint.kind === 'document');

function getterOf(publicUrl: string | null, nowMs = 0) {
  const app = createApp({ publicUrl, contact });
  return async (path: string, origin: string, userAgent = 'a'): Promise<HttpResponse> => {
    const headers = { 'user-agent': userAgent, accept: '*/*' };
    const isSecure = origin.startsWith('https:');
    const observed = { ...seenAll, path, query: '', headers, origin, isSecure };
    return app(observed, platformOf({ now: () => nowMs }), noBody);
  };
}

for (const { path, isConstant, namesService } of documents) {
  test(`${path} is ${isConstant ? 'the same object for every client' : 'rendered for each request'} at a set URL`, async () => {
    const get = getterOf('https://seenby.example');
    const first = await get(path, 'https://a.example', 'one');
    const second = await get(path, 'https://b.example', 'two');
    assert.equal(first.status, 200);
    assert.deepEqual(first, second);
    assert.deepEqual([first === second, first.isConstant === true], [isConstant, isConstant]);
    assert.equal((await get(path, 'http://a.example')).headers['Accept-CH'], undefined);
  });

  test(`${path} stores no Host of a request without a set URL`, async () => {
    const get = getterOf(null);
    const first = await get(path, 'https://a.example');
    const isStored = isConstant === true && !namesService;
    assert.equal(first.isConstant === true, isStored);
    assert.equal((await get(path, 'https://a.example')) === first, isStored);
    assert.ok(!isStored || !String(first.body).includes('a.example/'));
    assert.ok(!String((await get(path, 'https://b.example')).body).includes('a.example/'));
  });
}
