/** Confirmations of a message that instances get through the store. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Confirmations } from '../../../../src/edges/node/store/instances.ts';
import { waitLimitMs } from '../../../until.ts';

describe('a message to two instances', () => {
  const confirmations = new Confirmations();
  const confirm = (times: number): void => {
    for (let each = 0; each < times; each += 1) confirmations.count('a');
  };

  for (const early of [0, 1, 2])
    test(`is confirmed when both have confirmed it, ${early} of them before its reply`, async () => {
      const publish = async (): Promise<number> => {
        confirm(early);
        return 2;
      };
      const confirmed = confirmations.request('a', publish, waitLimitMs);
      confirmations.count('b');
      await Promise.resolve();
      confirm(2 - early);
      assert.equal(await confirmed, true);
    });

  test('is not confirmed by one of them', async () => {
    const confirmed = confirmations.request('a', async () => 2, 1);
    confirm(1);
    assert.equal(await confirmed, false);
  });

  test('is not confirmed if it was not published in time, whatever was confirmed since', async () => {
    const published = Promise.withResolvers<number>();
    const confirmed = confirmations.request('a', () => published.promise, 1);
    assert.equal(await confirmed, false);
    published.resolve(0);
  });

  test('does not end the wait for another one with the same id', async () => {
    const first = confirmations.request('a', async () => 2, 1);
    const second = confirmations.request('a', async () => 2, waitLimitMs);
    assert.equal(await first, false);
    confirm(2);
    assert.equal(await second, true);
  });

  test('is forgotten if it cannot be published, and needs no confirmation if nobody gets it', async () => {
    await assert.rejects(
      confirmations.request('a', () => Promise.reject(new Error('lost')), waitLimitMs),
      { message: 'lost' },
    );
    assert.equal(await confirmations.request('a', async () => 0, waitLimitMs), true);
  });
});
