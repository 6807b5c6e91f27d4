/** Who gives way in a pool, whatever its members hold: as a naive count of all of them decides. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { createIdentify, type Holder } from '../../../src/ingress/limits/identity.ts';
import { Pool } from '../../../src/ingress/limits/pool.ts';
import { check } from '../../random.ts';

const identify = createIdentify();
const clientsOfNetwork = 4;

interface Member {
  readonly holder: Holder;
  amount: number;
  state: 'idle' | 'used' | 'busy';
}

/** A pool, and a naive count of what it has: all members in the order of their latest use. */
class Watched {
  readonly capacity: number;
  readonly unit: number;
  readonly maxOfNetwork: number;
  readonly pool: Pool<Member>;
  readonly members = new Set<Member>();
  readonly evicted: Member[] = [];
  /** Members that the pool leaves alone because they were busy. */
  readonly resting = new Set<Member>();
  reserved = 0;

  constructor(capacity: number, unit = 1, maxOfNetwork = Number.POSITIVE_INFINITY) {
    this.capacity = capacity;
    this.unit = unit;
    this.maxOfNetwork = maxOfNetwork;
    this.pool = new Pool<Member>({
      capacity,
      unit,
      maxOfNetwork,
      clientsOfNetwork,
      stateOf: (member) => {
        const { state } = member;
        if (state === 'used') this.#touch(member);
        if (state === 'busy') this.resting.add(member);
        return state;
      },
      evict: (member) => {
        this.#verify(member);
        this.members.delete(member);
        this.evicted.push(member);
      },
    });
  }

  get total(): number {
    return [...this.members].reduce((sum, { amount }) => sum + amount, this.reserved);
  }

  enter(ip: string, amount = 1): Member {
    const member: Member = { holder: identify(ip), amount, state: 'idle' };
    this.change(member, amount);
    return member;
  }

  change(member: Member, amount: number): void {
    const isNew = !this.members.has(member);
    member.amount = amount;
    if (this.resting.delete(member)) this.#touch(member);
    this.members.add(member);
    if (!this.pool.enter(member, member.holder, amount)) {
      // Then nobody else could give way, or it holds most.
      if (this.#idle().length > 0) this.#verify(member);
      this.members.delete(member);
    }
    if (isNew && !this.members.has(member)) member.state = 'idle';
  }

  leave(member: Member): void {
    this.pool.leave(member);
    this.members.delete(member);
    this.resting.delete(member);
  }

  /** Ends what keeps members busy; they come after all others. */
  endRequests(): void {
    for (const member of this.members) if (member.state === 'busy') member.state = 'idle';
    this.pool.sweep();
    for (const member of this.resting) this.#touch(member);
    this.resting.clear();
  }

  #touch(member: Member): void {
    this.members.delete(member);
    this.members.add(member);
    member.state = 'idle';
  }

  #idle(): Member[] {
    return [...this.members].filter((each) => !this.resting.has(each));
  }

  #sums(name: 'network' | 'prefix', members: readonly Member[]): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    for (const { holder, amount } of members) {
      const units = Math.max(1, Math.ceil(amount / this.unit));
      sums.set(holder[name], (sums.get(holder[name]) ?? 0) + units);
    }
    return sums;
  }

  /** The member belongs to the largest holder, is the least recently used one of its address, and nobody below its part loses. */
  #verify(victim: Member): void {
    const { network, prefix, ip } = victim.holder;
    const idle = this.#idle();
    assert.ok(idle.includes(victim), 'a busy member gives way');
    const networks = this.#sums('network', idle);
    const clients = this.#sums('prefix', idle);
    const ofNetwork = networks.get(network) ?? 0;
    const ofClient = clients.get(prefix) ?? 0;
    const largestNetwork = Math.max(...networks.values());
    const largestClient = Math.max(...clients.values());
    const isNetwork =
      largestNetwork > this.maxOfNetwork || largestClient <= Math.max(1, largestNetwork / clientsOfNetwork);
    if (!isNetwork) assert.equal(ofClient, largestClient, 'another client holds more');
    else {
      assert.equal(ofNetwork, largestNetwork, 'another network holds more');
      const neighbors = idle.filter((each) => each.holder.network === network);
      assert.equal(ofClient, Math.max(...this.#sums('prefix', neighbors).values()), 'a neighbor holds more');
    }
    const first = idle.find((each) => each.holder.ip === ip);
    assert.equal(victim, first, 'another member of the address was used before');
    const sum = [...clients.values()].reduce((all, units) => all + units, 0);
    const isBelow = ofClient < sum / clients.size && ofNetwork < sum / networks.size;
    assert.ok(!isBelow, 'a client below its part in a network below its part loses');
  }
}

/** Exactly this amount can be reserved. */
function assertLeft<Each extends object>(pool: Pool<Each>, amount: number): void {
  assert.ok(amount >= 0 && pool.reserve(amount));
  assert.equal(pool.reserve(1), false);
  pool.free(amount);
}

const addresses = [0, 1, 2].flatMap((network) =>
  [1, 2, 3].flatMap((client) => [
    `192.0.${network}.${client}`,
    `2001:db8:${network}:${client}::1`,
    `2001:db8:${network}:${client}::2`,
  ]),
);

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(
      'enter',
      'enter',
      'enter',
      'forge',
      'change',
      'leave',
      'use',
      'begin',
      'end',
      'reserve',
      'free',
    ),
    at: fc.nat(1_000),
    amount: fc.integer({ min: 1, max: 40 }),
  }),
  { minLength: 50, maxLength: 300 },
);

const pools = {
  'of connections': () => new Watched(12),
  'of connections with a part for each network': () => new Watched(12, 1, 5),
  'of bytes, compared in units': () => new Watched(300, 8),
};

for (const [name, create] of Object.entries(pools))
  test(`after any changes in a pool ${name}, the sum is right and within the capacity`, () => {
    let evicted = 0;
    check(300, steps, (all) => {
      const watched = create();
      const { pool, members, capacity, unit } = watched;
      for (const [step, { kind, at, amount: drawn }] of all.entries()) {
        const amount = unit === 1 ? 1 : drawn;
        const member = [...members][at % Math.max(1, members.size)];
        if (kind === 'enter') watched.enter(addresses[at % addresses.length] as string, amount);
        else if (kind === 'forge') watched.enter(`2001:db8:${step + 10}:${at}::1`, amount);
        else if (kind === 'reserve') watched.reserved += pool.reserve(amount) ? amount : 0;
        else if (kind === 'free') {
          pool.free(watched.reserved);
          watched.reserved = 0;
        } else if (member !== undefined) {
          if (kind === 'change') watched.change(member, amount);
          else if (kind === 'leave') watched.leave(member);
          else if (kind === 'use') member.state = 'used';
          else if (kind === 'begin') member.state = 'busy';
          else watched.endRequests();
        }
        assertLeft(pool, capacity - watched.total);
        assert.equal(pool.size, members.size);
      }
      evicted += watched.evicted.length;
      for (const member of members) pool.leave(member);
      assertLeft(pool, capacity - watched.reserved);
      assert.deepEqual([pool.size, pool.largestNetwork], [0, 0]);
    });
    assert.ok(evicted > 100);
  });

describe('the member that gives way', () => {
  const enterMany = (watched: Watched, count: number, ip: (at: number) => string): void => {
    for (let at = 0; at < count; at += 1) watched.enter(ip(at));
  };
  const networksOf = ({ evicted }: Watched): string[] => evicted.map(({ holder }) => holder.network);

  test('belongs to the network that holds as much as four such clients, however many its clients are', () => {
    const watched = new Watched(15);
    enterMany(watched, 3, () => '192.0.2.1');
    enterMany(watched, 11, (at) => `2001:db8:1:${at}::1`);
    watched.enter('198.51.100.1');
    watched.enter('198.51.100.2');
    assert.deepEqual(networksOf(watched), ['192.0.2.0/24']);
    enterMany(watched, 2, (at) => `2001:db8:1:f${at}::1`);
    assert.deepEqual(networksOf(watched).slice(1), ['2001:db8:1::/48', '2001:db8:1::/48']);
  });

  test('belongs to the network above its part, and there to the largest client', () => {
    const watched = new Watched(19, 1, 9);
    enterMany(watched, 9, () => '192.0.2.1');
    enterMany(watched, 7, (at) => `2001:db8:1:${at}::1`);
    enterMany(watched, 3, () => '2001:db8:1:ffff::1');
    watched.enter('198.51.100.1');
    assert.deepEqual(
      watched.evicted.map(({ holder }) => holder.prefix),
      ['2001:db8:1:ffff::/64'],
    );
  });

  test('is none while all are busy: the new one is not let in', () => {
    const watched = new Watched(2);
    const busy = [watched.enter('192.0.2.1'), watched.enter('192.0.2.1')];
    for (const member of busy) member.state = 'busy';
    const rejected = watched.enter('198.51.100.1');
    assert.deepEqual([watched.evicted, watched.members.has(rejected)], [[], false]);
    watched.endRequests();
    assert.ok(watched.members.has(watched.enter('198.51.100.1')));
    assert.deepEqual(watched.evicted, busy.slice(0, 1));
  });
});

test('what is kept gives no way until it is freed', () => {
  const { pool, evicted } = new Watched(10);
  const body: Member = { holder: identify('192.0.2.1'), amount: 8, state: 'idle' };
  assert.ok(pool.enter(body, body.holder, 8));
  pool.keep(body);
  assert.deepEqual([pool.size, pool.reserve(3), pool.reserve(2)], [0, false, true]);
  const other: Member = { holder: identify('198.51.100.1'), amount: 1, state: 'idle' };
  assert.equal(pool.enter(other, other.holder, 1), false);
  pool.free(8);
  assert.ok(pool.enter(other, other.holder, 1));
  assertLeft(pool, 7);
  assert.equal(evicted.length, 0);
});

test('members without a holder are compared one by one', () => {
  const evicted: object[] = [];
  const pool = new Pool<object>({ capacity: 10, clientsOfNetwork, evict: (member) => evicted.push(member) });
  const small = {};
  const large = {};
  pool.hold(small, null, 2);
  pool.hold(large, null, 7);
  pool.hold({}, null, 3);
  assert.deepEqual(evicted, [large]);
  pool.hold(small, null, 11);
  assert.equal(evicted[1], small);
});

test('makes room for a newcomer whose network would hold less than the largest', () => {
  const watched = new Watched(0);
  const makeRoomFor = (ip: string): boolean => watched.pool.makeRoomFor(identify(ip));
  assert.equal(makeRoomFor('192.0.2.1'), false);
  watched.enter('192.0.2.1');
  assert.equal(makeRoomFor('198.51.100.1'), false);
  for (let at = 0; at < 3; at += 1) watched.enter(`2001:db8::${at}`);
  assert.equal(makeRoomFor('2001:db8::9'), false);
  assert.equal(makeRoomFor('198.51.100.1'), true);
  assert.equal(makeRoomFor('192.0.2.1'), false);
  assert.deepEqual(
    watched.evicted.map(({ holder }) => holder.ip),
    ['2001:db8::0'],
  );
});
