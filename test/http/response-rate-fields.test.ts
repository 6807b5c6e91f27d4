/** RateLimit and RateLimit-Policy: structured fields with the values of the limiter. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseList } from 'structured-headers';
import type { RateSettings } from '../../src/core/limits.ts';
import { unlimited } from '../../src/core/platform.ts';
import type { HttpResponse } from '../../src/core/request-context.ts';
import { type CountedRates, createRateFields } from '../../src/http/response.ts';

const response: HttpResponse = { status: 200, headers: { 'Access-Control-Expose-Headers': 'Retry-After' }, body: '' };

function rateFields(settings: RateSettings, counted: CountedRates) {
  const { headers, ownHeaders } = createRateFields(settings)(response, counted);
  return { ...headers, ...ownHeaders };
}

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
  assert.deepEqual(rateFields({ rateLimitGeneral: 0 }, { rates: ['general'], decision }), response.headers);
  assert.deepEqual(rateFields({}, { rates: ['general'], decision: unlimited }), response.headers);
  const rejected = { isAllowed: false, remaining: 0, resetSeconds: null };
  assert.deepEqual(rateFields({}, { rates: ['general'], decision: rejected }), response.headers);
});

test('the policy is part of the headers that responses share, and what is left is not', () => {
  const addFields = createRateFields({});
  const rates = ['general'] as const;
  const [first, second] = [7, 6].map((remaining) =>
    addFields(response, { rates, decision: { ...decision, remaining } }),
  );
  assert.equal(first?.headers, second?.headers);
  assert.deepEqual(
    [first?.ownHeaders, second?.ownHeaders],
    [{ RateLimit: '"general";r=7;t=42' }, { RateLimit: '"general";r=6;t=42' }],
  );
  assert.deepEqual(response.headers, { 'Access-Control-Expose-Headers': 'Retry-After' });
});
