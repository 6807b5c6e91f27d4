/** What an error of a registry lookup states: the registry's own reason, and where a record is that this service does not query. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ServiceError } from '../../../src/core/errors.ts';
import type { OutboundResult } from '../../../src/core/platform.ts';
import { rdap } from '../../../src/lookups/rdap/rdap.ts';
import { roundsOf } from '../../random.ts';
import { registries, respondWith } from './fixtures.ts';

async function failureOf(response: OutboundResult, q = 'example.com') {
  const failure = await rdap(q, registries(() => response).platform, 'Seenby/0 (test)').catch((error) => error);
  assert.ok(failure instanceof ServiceError, String(failure));
  return failure;
}

const error = (title: unknown, description?: unknown, more: object = {}) => ({
  errorCode: 404,
  title,
  description,
  ...more,
});

test('states the reason of a registry that has no record', async () => {
  for (const [body, reason] of [
    [
      error('Registry Reserved', ['This name is not available for registration.']),
      'Registry Reserved. This name is not available for registration',
    ],
    [error('Not Found', ['The domain is reserved by the registry.']), 'The domain is reserved by the registry'],
    [error('Object not found', 'Name blocked by a trademark service'), 'Name blocked by a trademark service'],
    [error('Not Found', ['example.com', 'Premium name']), 'Premium name'],
    [
      error(undefined, undefined, { notices: [{ title: 'Reserved name' }, { title: 'Terms of Use' }] }),
      'Reserved name',
    ],
    [error('say "hi"\n\u202e\u0000', null), "say 'hi' \\u{202e}"],
  ] as const) {
    const { code, message } = await failureOf(respondWith(404, body));
    assert.equal(code, 'not_found');
    assert.equal(message, `The registry has no record of this object, and states: "${reason}".`);
  }
  const plain = respondWith(404, 'Registry Reserved\r\n', { 'content-type': 'text/plain; charset=utf-8' });
  assert.match((await failureOf(plain)).message, /, and states: "Registry Reserved"\.$/);
  const below = await failureOf(respondWith(404, error('Registry Reserved')), 'www.example.com');
  assert.match(below.message, /of example\.com, which was queried for www\.example\.com, and states: "Registry Res/);
  for (const status of [400, 403, 422, 501])
    assert.equal(
      (await failureOf(respondWith(status, error('Bad Request', ['Labels of two characters are not supported here']))))
        .message,
      `The registry rejected the query (status ${status}), and states: "Labels of two characters are not supported here".`,
    );
  assert.match((await failureOf(respondWith(200, error('Registry Reserved')))).message, /states: "Registry Reserved"/);
});

test('does not repeat that there is no record', async () => {
  for (const body of [
    '',
    'null',
    '[]',
    '{',
    '<html><title>Reserved</title></html>',
    {},
    error('Not Found'),
    error('Object not found', ['The requested object was not found.', 'Error 404']),
    error('Domain not found', ['example.com. does not exist']),
    error('No match for EXAMPLE.COM'),
    error(['x'.repeat(0)], [null, 5, {}]),
    error(undefined, undefined, { notices: [{ title: 'Terms of Use', description: ['Reserved rights'] }, null] }),
  ])
    assert.equal(
      (await failureOf(respondWith(404, body))).message,
      'The registry has no record of this object; check the spelling, or it may not be registered.',
      JSON.stringify(body),
    );
  for (const q of ['8.8.8.0/24', 'AS15169', '2001:4860::/32'])
    assert.match(
      (await failureOf(respondWith(404, error('Not found', [`No record for ${q} found`])), q)).message,
      /may not be/,
    );
});

test('a reason of any content is one bounded line of visible characters', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 600 });
  const body = fc.record({
    title: fc.option(text),
    description: fc.oneof(text, fc.array(text, { maxLength: 300 }), fc.anything()),
  });
  await fc.assert(
    fc.asyncProperty(body, async (value) => {
      const { message } = await failureOf(respondWith(404, value));
      assert.ok(message.length < 400, `${message.length}`);
      assert.doesNotMatch(message, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      assert.match(message, /^The registry has no record of this object(; check.*|, and states: "[^"]*"\.)$/);
    }),
    { numRuns: roundsOf(500) },
  );
});

test('says where a record is if the registry redirects to a server that IANA does not list', async () => {
  const redirect = (location: string) => failureOf(respondWith(302, '', { location }), 'AS4766');
  const { code, message } = await redirect('https://rdap.registry.example/autnum/4766');
  assert.equal(code, 'upstream_error');
  assert.equal(
    message,
    "The registry redirects to a server that IANA's RDAP lists do not contain, so this service does not follow: open https://rdap.registry.example/autnum/4766 for the record.",
  );
  assert.match(
    (await redirect('https://user:secret@rdap.example:8443/a?b=c#d')).message,
    /open https:\/\/rdap\.example:8443\/a\?b=c for/,
  );
  for (const location of [
    'http://169.254.169.254/latest',
    'https://[::1]/autnum/1',
    'https://localhost/',
    'https://printer.local/',
    'javascript:alert(1)',
    `https://rdap.example/${'a'.repeat(400)}`,
  ]) {
    const failure = await redirect(location);
    assert.match(failure.message, /so this service does not follow; its website may offer a lookup\.$/, location);
    assert.ok(failure.message.length < 400);
    assert.doesNotMatch(failure.message, /try again|alert/);
  }
});
