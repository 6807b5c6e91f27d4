/** A bounded amount of something, such as memory: who holds how much of it, and who gives way when nothing is left. */
import type { Holder } from './identity.ts';

/** All that a network, a client or an address holds. */
class Group<Member> {
  readonly key: string;
  readonly parent: Group<Member> | null;
  /** Null in the last level, which has the members themselves. */
  readonly children: Ranking<Member> | null;
  /** In the order of their latest use. */
  readonly members = new Set<Member>();
  units = 0;

  constructor(key: string, parent: Group<Member> | null, isLast: boolean) {
    this.key = key;
    this.parent = parent;
    this.children = isLast ? null : new Ranking();
  }
}

/** Groups of one level in the order of their amounts, which are whole numbers. */
class Ranking<Member> {
  // Within an amount, in the order in which the groups reached it.
  readonly #byAmount = new Map<number, Set<Group<Member>>>();
  #largest = 0;

  /** Moves a group to its new amount; 0 removes it. What a group gains step by step, it loses in as many, so that this costs little. */
  move(group: Group<Member>, from: number, to: number): void {
    const previous = this.#byAmount.get(from);
    previous?.delete(group);
    if (previous?.size === 0) this.#byAmount.delete(from);
    if (to > 0) {
      const same = this.#byAmount.get(to);
      if (same === undefined) this.#byAmount.set(to, new Set<Group<Member>>().add(group));
      else same.add(group);
    }
    this.#largest = Math.max(this.#largest, to);
    while (this.#largest > 0 && !this.#byAmount.has(this.#largest)) this.#largest -= 1;
  }

  /** The group with the largest amount, the first that reached it; null without any. */
  get first(): Group<Member> | null {
    const [first = null] = this.#byAmount.get(this.#largest) ?? [];
    return first;
  }
}

interface Holding<Member> {
  readonly holder: Holder;
  /** Null while the member is busy. */
  group: Group<Member> | null;
  amount: number;
}

interface PoolOptions<Member> {
  /** What all members may hold together; 0: no limit. */
  readonly capacity: number;
  /** The unit in which holdings are compared; each member holds one unit at least. 1 if absent. */
  readonly unit?: number;
  /** Units of one network above which its own members give way first; if absent, there is no such number. */
  readonly maxOfNetwork?: number;
  /** A network is compared with clients by this part of what it holds, because many share it. */
  readonly clientsOfNetwork: number;
  /** Whether a member may give way: not while it is busy; one that was used since the last call gives way after others. If absent, each may. */
  stateOf?(member: Member): 'idle' | 'used' | 'busy';
  /** Ends a member that gives way; it has left the pool. */
  evict(member: Member): void;
}

/**
 * Holders are networks (IPv4: /24, IPv6: /48), clients (IPv4: address, IPv6: /64) and IPv6 addresses. Above the capacity, the least recently
 * used member of the client that holds most gives way. If the largest network holds at least as much as `clientsOfNetwork` such clients, or
 * more than `maxOfNetwork`, it is a member of that network: of the largest client there. It is found without a search, however many there are.
 */
export class Pool<Member extends object> {
  readonly #options: PoolOptions<Member>;
  readonly #groups = new Map<string, Group<Member>>();
  readonly #networks = new Ranking<Member>();
  readonly #clients = new Ranking<Member>();
  readonly #holdings = new Map<Member, Holding<Member>>();
  /** Members that were busy when they were last looked at. */
  readonly #busy = new Set<Member>();
  /** The amount of all members, and what is reserved without a member. */
  #total = 0;
  /** Members without a holder so far. */
  #alone = 0;

  constructor(options: PoolOptions<Member>) {
    this.#options = options;
  }

  get size(): number {
    return this.#holdings.size;
  }

  /** Members that are not busy, as far as known. */
  get idle(): number {
    return this.#holdings.size - this.#busy.size;
  }

  /** Units that a network, a client or an address holds. */
  unitsOf(name: string): number {
    return this.#groups.get(name)?.units ?? 0;
  }

  /** The identity with which a member entered; null for one that is not in the pool. */
  holderOf(member: Member): Holder | null {
    return this.#holdings.get(member)?.holder ?? null;
  }

  /** Units that the largest network holds. */
  get largestNetwork(): number {
    return this.#networks.first?.units ?? 0;
  }

  /**
   * Adds a member, or changes its amount, and makes room for it; false, without it, if it has to give way itself. A member without a holder,
   * such as a request of a trusted proxy, is a holder of its own.
   */
  enter(member: Member, holder: Holder | null, amount = 1): boolean {
    this.add(member, holder, amount);
    while (this.#isExceeded) {
      const victim = this.take();
      if (victim === null || victim === member) {
        this.leave(member);
        return false;
      }
      this.#options.evict(victim);
    }
    return true;
  }

  /** Adds a member that holds its amount already: if the member has to give way itself, it is ended like others. */
  hold(member: Member, holder: Holder | null, amount: number): void {
    if (!this.enter(member, holder, amount)) this.#options.evict(member);
  }

  /** Adds a member, changes its amount, or notes that it is no longer busy; makes no room. */
  add(member: Member, holder: Holder | null, amount = 1): void {
    const held = this.#holdings.get(member);
    const holding = held ?? { holder: holder ?? this.#createHolder(), group: null, amount: 0 };
    if (held === undefined) this.#holdings.set(member, holding);
    this.#busy.delete(member);
    const { group } = holding;
    if (group === null) this.#join(member, holding);
    this.#total += amount - holding.amount;
    const before = group === null ? 0 : this.#units(holding.amount);
    holding.amount = amount;
    this.#count(holding.group, this.#units(amount) - before);
  }

  leave(member: Member): void {
    const holding = this.#holdings.get(member);
    if (holding === undefined) return;
    this.#total -= holding.amount;
    this.#part(member, holding);
    this.#holdings.delete(member);
    this.#busy.delete(member);
  }

  /** Reserves an amount until `free`; false, without it, if there is no room without anyone giving way. */
  reserve(amount: number): boolean {
    if (this.#options.capacity > 0 && this.#total + amount > this.#options.capacity) return false;
    this.#total += amount;
    return true;
  }

  /** Removes a member whose amount stays reserved until `free`. */
  keep(member: Member): void {
    this.#total += this.#holdings.get(member)?.amount ?? 0;
    this.leave(member);
  }

  free(amount: number): void {
    this.#total -= amount;
  }

  /** Notices which members are no longer busy; called regularly. */
  sweep(): void {
    for (const member of this.#busy) {
      const holding = this.#holdings.get(member);
      if (holding !== undefined && this.#options.stateOf?.(member) !== 'busy')
        this.add(member, holding.holder, holding.amount);
    }
  }

  /** Ends members of the largest holders while all hold too much. */
  trim(): void {
    while (this.#isExceeded && this.#evictLargest());
  }

  /** Ends a member of the largest holder for a newcomer, if the network of the newcomer would hold less than that of the other. */
  makeRoomFor({ network }: Holder): boolean {
    const largest = this.#largest();
    const other = largest && this.holderOf(largest);
    if (other === null || this.unitsOf(other.network) <= this.unitsOf(network) + 1) return false;
    return this.#evictLargest();
  }

  /**
   * Removes and returns the member that gives way; null if there is none besides `newcomer`, or no need. What changes the state of members is
   * noticed only here, so that it costs nothing itself.
   */
  take(newcomer: Member | null = null, isNeeded = (): boolean => true): Member | null {
    let isNewcomerPassed = false;
    while (isNeeded()) {
      const next = this.#largest();
      if (next === null) return null;
      if (next === newcomer) {
        // Once: others of its holder are behind it now, because they were used.
        if (isNewcomerPassed) return null;
        isNewcomerPassed = true;
        this.#touch(next);
        continue;
      }
      const state = this.#options.stateOf?.(next) ?? 'idle';
      if (state === 'idle') {
        this.leave(next);
        return next;
      }
      if (state === 'used') this.#touch(next);
      else this.#rest(next);
    }
    return null;
  }

  /** Ends a member of the largest holder; false without any. */
  #evictLargest(): boolean {
    const victim = this.take();
    if (victim !== null) this.#options.evict(victim);
    return victim !== null;
  }

  get #isExceeded(): boolean {
    return this.#options.capacity > 0 && this.#total > this.#options.capacity;
  }

  #largest(): Member | null {
    const { clientsOfNetwork, maxOfNetwork = Number.POSITIVE_INFINITY } = this.#options;
    const network = this.#networks.first;
    const client = this.#clients.first;
    if (network === null || client === null) return null;
    // If no client has more than one, they differ only in their networks.
    const isNetwork = client.units <= Math.max(1, network.units / clientsOfNetwork);
    let group: Group<Member> = isNetwork || network.units > maxOfNetwork ? network : client;
    for (let next = group.children?.first; next; next = group.children?.first) group = next;
    const [first = null] = group.members;
    return first;
  }

  /** Makes a member the last used one of its address. */
  #touch(member: Member): void {
    const members = this.#holdings.get(member)?.group?.members;
    if (members?.delete(member)) members.add(member);
  }

  /** Leaves a busy member alone. */
  #rest(member: Member): void {
    const holding = this.#holdings.get(member);
    if (holding === undefined) return;
    this.#part(member, holding);
    this.#busy.add(member);
  }

  #join(member: Member, holding: Holding<Member>): void {
    holding.group = this.#groupOf(holding.holder);
    holding.group.members.add(member);
  }

  #part(member: Member, holding: Holding<Member>): void {
    const { group } = holding;
    if (group === null) return;
    holding.group = null;
    group.members.delete(member);
    this.#count(group, -this.#units(holding.amount));
  }

  #units(amount: number): number {
    return Math.max(1, Math.ceil(amount / (this.#options.unit ?? 1)));
  }

  /** Creates a holder whose names nobody else has. */
  #createHolder(): Holder {
    this.#alone += 1;
    const prefix = `member ${this.#alone}`;
    return { network: `network of ${prefix}`, prefix, ip: prefix };
  }

  /** The address, below its client if that may have several, below the network. */
  #groupOf({ network, prefix, ip }: Holder): Group<Member> {
    const hasAddresses = ip !== prefix;
    const ofClient = this.#group(prefix, this.#group(network, null, false), !hasAddresses);
    return hasAddresses ? this.#group(ip, ofClient, true) : ofClient;
  }

  #group(key: string, parent: Group<Member> | null, isLast: boolean): Group<Member> {
    const existing = this.#groups.get(key);
    if (existing !== undefined) return existing;
    const group = new Group<Member>(key, parent, isLast);
    this.#groups.set(key, group);
    return group;
  }

  #count(from: Group<Member> | null, difference: number): void {
    for (let group = from; group !== null; group = group.parent) {
      const before = group.units;
      group.units += difference;
      const { parent } = group;
      if (parent === null) this.#networks.move(group, before, group.units);
      else parent.children?.move(group, before, group.units);
      if (parent !== null && parent.parent === null) this.#clients.move(group, before, group.units);
      if (group.units === 0) this.#groups.delete(group.key);
    }
  }
}
