/** RateLimit and RateLimit-Policy: structured fields with the values of the limiter. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseList } from 'structured-headers';
import { unlimited } from '../../../src/core/platform.ts';
import { rateFields } from '../../../src/http/routes/rate-fields.ts';

const decision = { isAllowed: true, remaining: 7, resetSeconds: 42 };

test('the strictest rate comes first, with what is left of it', () => {
  const fields = rateFields({}, { rates: ['general', 'lookup'], decision });
  assert.equal(fields['RateLimit-Policy'], '"lookup";q=10;w=60, "general";q=60;w=60');
  assert.equal(fields.RateLimit, '"lookup";r=7;t=42');
  assert.deepEqual(
    parseList(fields['RateLimit-Policy'] ?? '').map(([name, parameters]) => [name, Object.fromEntries(parameters)]),
    [
      ['lookup', { q: 10, w: 60 }],
      ['general', { q: 60, w: 60 }],
    ],
  );
});

test('the limits are those of the operator, without the rates that have none', () => {
  const set = { rateLimitGeneral: 3, rateLimitLookup: 0 };
  const fields = rateFields(set, { rates: ['general', 'lookup'], decision });
  assert.equal(fields['RateLimit-Policy'], '"general";q=3;w=60');
  assert.equal(fields.RateLimit, '"general";r=7;t=42');
});

test('there are no fields without a limit, or if the runtime does not report what is left', () => {
  assert.deepEqual(rateFields({ rateLimitGeneral: 0 }, { rates: ['general'], decision }), {});
  assert.deepEqual(rateFields({}, { rates: ['general'], decision: unlimited }), {});
  const rejected = { isAllowed: false, remaining: 0, resetSeconds: null };
  assert.deepEqual(rateFields({}, { rates: ['general'], decision: rejected }), {});
});
