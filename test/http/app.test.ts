/** The application where something fails or takes time, which no healthy edge shows. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureOf } from '../../src/core/failure.ts';
import type { ObservedRequest } from '../../src/core/observed.ts';
import type { Platform } from '../../src/core/platform.ts';
import { createApp } from '../../src/http/app.ts';
import { seenAll } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { noBody } from '../request-body.ts';

const app = createApp({ publicUrl: 'https://seenby.example', contact: null });

/** A platform that remembers what it was told. */
function witness(limit: Platform['limit']) {
  const counted: [endpoint: string, status: number][] = [];
  const reported: unknown[] = [];
  const platform = platformOf({
    limit,
    count: (endpoint, status) => counted.push([endpoint, status]),
    report: (error) => reported.push(error),
  });
  return { platform, counted, reported };
}

const broken = new TypeError('of 203.0.113.9');
const failing: ObservedRequest = {
  ...seenAll,
  get location(): never {
    throw broken;
  },
};

describe('an unexpected failure', () => {
  for (const [how, limit] of [
    ['at once', () => true],
    ['later', async () => true],
  ] as const) {
    test(`${how} is answered without its message, counted and reported`, async () => {
      const { platform, counted, reported } = witness(limit);
      const { status, body } = await app(failing, platform, noBody);
      assert.equal(status, 500);
      assert.equal(JSON.parse(body).error, 'internal_error');
      assert.equal(JSON.parse(body).docs, 'https://seenby.example/docs#errors');
      assert.doesNotMatch(body, /203\.0\.113\.9|TypeError|app\.ts/);
      assert.deepEqual(counted, [['/json', 500]]);
      assert.deepEqual(reported, [broken]);
    });
  }

  test('is told to the operator by name and place alone', () => {
    const told = failureOf(broken);
    assert.match(told, /^unexpected TypeError at .*app\.test\.ts/);
    assert.doesNotMatch(told, /203\.0\.113\.9/);
    assert.equal(failureOf('203.0.113.9'), 'unexpected failure');
  });
});

test('a limit that takes time answers and refuses as one that does not', async () => {
  for (const [allowed, status] of [
    [true, 200],
    [false, 429],
  ] as const) {
    const { platform, counted, reported } = witness(async () => allowed);
    const answer = await app(seenAll, platform, noBody);
    assert.equal(answer.status, status);
    assert.deepEqual(counted, [['/json', status]]);
    assert.deepEqual(reported, []);
  }
});
