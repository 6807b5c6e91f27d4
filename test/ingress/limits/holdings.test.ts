/** The largest holder of something. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { Holdings } from '../../../src/ingress/limits/holdings.ts';
import { check } from '../../random.ts';

interface Member {
  readonly client: string;
}

const clientsOfNetwork = 16;

/** Holdings, and a function that adds a member of a client such as `a1`, whose network is `a`. */
function createHoldings() {
  const holdings = new Holdings<Member>(clientsOfNetwork);
  const add = (client: string, amount = 1): Member => {
    const member = { client };
    holdings.set(member, [client.slice(0, 1), client], amount);
    return member;
  };
  const addMany = (count: number, client: (at: number) => string): void => {
    for (let at = 0; at < count; at += 1) add(client(at));
  };
  /** Takes the largest holder's members away, and returns their clients. */
  const take = (count: number): string[] =>
    Array.from({ length: count }, () => {
      const member = holdings.largest() as Member;
      holdings.delete(member);
      return member.client;
    });
  return { holdings, add, addMany, take };
}

describe('the member to give up what it holds', () => {
  test('is null without any', () => {
    const { holdings, add } = createHoldings();
    assert.equal(holdings.largest(), null);
    holdings.delete(add('a1'));
    assert.deepEqual([holdings.largest(), holdings.size, holdings.largestNetwork], [null, 0, 0]);
  });

  test('belongs to the client that holds most, and was used before its others', () => {
    const { holdings, add, addMany } = createHoldings();
    const first = add('a1');
    const second = add('a1');
    addMany(10, (at) => `b${at}`);
    assert.equal(holdings.largest(), first);
    holdings.touch(first);
    assert.equal(holdings.largest(), second);
    const large = add('c1', 3);
    assert.equal(holdings.largest(), large);
    holdings.set(large, [], 1);
    assert.equal(holdings.largest(), second);
  });

  test('leaves those with less alone until all have the same', () => {
    const { addMany, take } = createHoldings();
    addMany(6, () => 'a1');
    addMany(3, () => 'b1');
    addMany(2, () => 'c1');
    assert.deepEqual(take(5).toSorted(), ['a1', 'a1', 'a1', 'a1', 'b1']);
  });

  test('belongs to the network that holds as much as sixteen such clients', () => {
    const { holdings, add, addMany } = createHoldings();
    const honest = add('z1', 3);
    addMany(3 * clientsOfNetwork - 1, (at) => `a${at}`);
    assert.equal(holdings.largest(), honest);
    addMany(1, () => 'a-last');
    assert.equal(holdings.largest()?.client, 'a0');
  });

  test('belongs to the larger network if no client holds more than one', () => {
    const { addMany, take } = createHoldings();
    addMany(2, (at) => `z${at}`);
    addMany(3, (at) => `a${at}`);
    assert.deepEqual(take(2), ['a0', 'z0']);
  });

  test('belongs to the network above the given bound, and there to the largest client', () => {
    const { holdings, addMany } = createHoldings();
    addMany(9, () => 'z1');
    addMany(7, (at) => `a${at}`);
    addMany(3, () => 'a-large');
    assert.equal(holdings.largest(10)?.client, 'z1');
    assert.equal(holdings.largest(9)?.client, 'a-large');
  });
});

test('the amounts of networks are right after any changes', () => {
  const changes = fc.array(fc.tuple(fc.constantFrom(...'abcd'), fc.nat(8), fc.integer({ min: 0, max: 50 })), {
    minLength: 50,
    maxLength: 300,
  });
  check(100, changes, (steps) => {
    const holdings = new Holdings<Member>(clientsOfNetwork);
    // A client has one member here; 0 deletes it.
    const held = new Map<string, { readonly member: Member; readonly amount: number }>();
    for (const [network, at, amount] of steps) {
      const client = `${network}${at}`;
      const member = held.get(client)?.member ?? { client };
      if (amount === 0) {
        holdings.delete(member);
        held.delete(client);
      } else {
        holdings.set(member, [network, client], amount);
        held.set(client, { member, amount });
      }
      const sums = new Map<string, number>();
      for (const [key, { amount: part }] of held) sums.set(key[0] ?? '', (sums.get(key[0] ?? '') ?? 0) + part);
      assert.equal(holdings.largestNetwork, Math.max(0, ...sums.values()));
      for (const [key, sum] of sums) assert.equal(holdings.amountOf(key), sum);
    }
    for (const { member } of held.values()) holdings.delete(member);
    assert.deepEqual([holdings.size, holdings.largestNetwork, holdings.amountOf('a')], [0, 0, 0]);
  });
});
