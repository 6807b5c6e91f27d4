/** The table of errors: codes, statuses and sentences. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errors, failureOf, startFailureOf } from '../../src/core/errors.ts';

for (const [code, { status, message }] of Object.entries(errors)) {
  test(`has a code, an error status and one sentence: ${code}`, () => {
    assert.match(code, /^[a-z]+(_[a-z]+)*$/);
    assert.ok(Number.isInteger(status) && status >= 400 && status <= 599, String(status));
    assert.match(message, /^[A-Za-z/][^\n]*\.$/);
  });
}

test('has the statuses that the specification states', () => {
  const statuses = Object.fromEntries(Object.entries(errors).map(([code, { status }]) => [code, status]));
  assert.deepEqual(
    { ...statuses },
    {
      ...statuses,
      invalid_format: 400,
      not_found: 404,
      method_not_allowed: 405,
      rate_limited: 429,
      internal_error: 500,
      overloaded: 503,
      version_not_supported: 505,
    },
  );
});

test('describes an unexpected error without its message', () => {
  const error = Object.assign(new RangeError('secret'), { code: 'ERR_SECRET_FREE' });
  assert.match(failureOf(error), /^unexpected RangeError ERR_SECRET_FREE at \S.*errors\.test\.ts:\d+:\d+\)?$/);
  assert.equal(failureOf(Object.assign(new Error('secret'), { stack: undefined })), 'unexpected Error');
  for (const thrown of ['secret', undefined, null, { stack: 'secret' }])
    assert.equal(failureOf(thrown), 'unexpected failure');
});

test('describes why the service cannot start: its own sentence, or the place of an unexpected error', () => {
  class OwnError extends Error {}
  const sentence = 'PORT: cannot listen on 80; use another port';
  for (const error of [new Error(sentence), new OwnError(sentence)]) assert.equal(startFailureOf(error), sentence);
  for (const error of [new TypeError('a is null'), Object.assign(new Error('a is null'), { code: 'EIO' })])
    assert.match(
      startFailureOf(error),
      /^unexpected (?:TypeError|Error EIO) at .*errors\.test\.ts:\d+:\d+\)?: a is null$/,
    );
  assert.equal(startFailureOf('a'), 'unexpected failure');
});
