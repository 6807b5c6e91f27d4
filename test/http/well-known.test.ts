/** The media types of the operator's files below /.well-known/. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApp } from '../../src/http/app.ts';
import { seenAll } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { noBody, siteOf } from '../request-context.ts';

test('a file that is JSON has its media type, with or without an ending', async () => {
  const text = 'text/plain; charset=utf-8';
  for (const [name, content, mediaType] of [
    ['assetlinks.json', '[{"relation":[]}]\n', 'application/json'],
    ['apple-app-site-association', '{"applinks":{}}', 'application/json'],
    ['security.txt', 'Contact: mailto:a@b.example\n', text],
    ['token', '12345\n', text],
    ['unfinished.json', '{"a":', text],
    ['empty', '', text],
  ] as const) {
    const { deployment } = siteOf({ wellKnownFiles: { [name]: content } });
    const path = `/.well-known/${name}`;
    const { status, headers, body } = await createApp(deployment)({ ...seenAll, path }, platformOf(), noBody);
    assert.deepEqual([status, headers['Content-Type'], body], [200, mediaType, content], name);
  }
});
