/** The starts of paths in the shape of other services that respond with a list of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialects } from '../../src/dialects/list.ts';
import { createApp } from '../../src/http/app.ts';
import { seenAll } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { noBody, site } from '../request-context.ts';

const request = async (path: string) => createApp(site.deployment)({ ...seenAll, path }, platformOf(), noBody);

test('/as lists every path of other services', async () => {
  const { status, headers, body } = await request('/as');
  assert.deepEqual([status, headers['Content-Type']], [200, 'text/plain; charset=utf-8']);
  assert.deepEqual(
    `${body}`.trimEnd().split('\n'),
    dialects.map(({ path, summary }) => `${path}: ${summary}`),
  );
});

test('a service without a response at its start lists its paths there, also with a slash', async () => {
  for (const path of ['/as/httpbin', '/as/httpbin/', '/as/ip-api', '/as/peet']) {
    const { status, body } = await request(path);
    assert.equal(status, 200);
    const lines = `${body}`.trimEnd().split('\n');
    assert.ok(lines.length > 1 && lines.every((line) => line.startsWith(path.replace(/\/$/, ''))), path);
  }
  assert.equal((await request('/as/nobody')).status, 404);
});
