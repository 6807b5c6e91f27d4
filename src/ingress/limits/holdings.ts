/** Counts how much each client and each network holds of a shared resource, such as connections. */

/** The groups of a holder: its network, the client, and perhaps its address. Their names are all different. */
export type Path = readonly string[];

/** All that a network, a client or an address holds. */
class Group<Member> {
  readonly key: string;
  readonly parent: Group<Member> | null;
  /** Null in the last level, which has the members themselves. */
  readonly children: Ranking<Member> | null;
  /** In the order of their latest use. */
  readonly members = new Set<Member>();
  amount = 0;

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
  readonly group: Group<Member>;
  amount: number;
}

/**
 * The holders of something, by network (IPv4: /24, IPv6: /48), client (IPv4: address, IPv6: /64) and IPv6 address. Finds the largest holder
 * without a search, whatever their number.
 */
export class Holdings<Member extends object> {
  readonly #clientsOfNetwork: number;
  readonly #groups = new Map<string, Group<Member>>();
  readonly #networks = new Ranking<Member>();
  readonly #clients = new Ranking<Member>();
  readonly #holdings = new Map<Member, Holding<Member>>();
  #total = 0;

  /** `clientsOfNetwork`: a network is compared with clients by this part of its amount, because many share it. */
  constructor(clientsOfNetwork: number) {
    this.#clientsOfNetwork = clientsOfNetwork;
  }

  get size(): number {
    return this.#holdings.size;
  }

  /** The sum of all amounts. */
  get total(): number {
    return this.#total;
  }

  /** Adds a member, or changes its amount. `path` names its groups: network, client, and perhaps address. */
  set(member: Member, path: Path, amount: number): void {
    const held = this.#holdings.get(member);
    const holding = held ?? { group: this.#groupOf(path), amount: 0 };
    if (held === undefined) {
      this.#holdings.set(member, holding);
      holding.group.members.add(member);
    }
    this.#change(holding, amount);
  }

  delete(member: Member): void {
    const holding = this.#holdings.get(member);
    if (holding === undefined) return;
    this.#holdings.delete(member);
    holding.group.members.delete(member);
    this.#change(holding, 0);
  }

  /** Makes a member the one of its address that was used last. */
  touch(member: Member): void {
    const members = this.#holdings.get(member)?.group.members;
    if (members?.delete(member)) members.add(member);
  }

  /** Number that a network holds. */
  amountOf(network: string | undefined): number {
    return this.#groups.get(network ?? '')?.amount ?? 0;
  }

  /** Number that the largest network holds. */
  get largestNetwork(): number {
    return this.#networks.first?.amount ?? 0;
  }

  /**
   * The member that has to give up what it holds; null without any. Usually it is the least recently used one of the client that holds most.
   * If the largest network holds at least as much as `clientsOfNetwork` such clients, or more than `maxOfNetwork`, it is one of that network: of
   * the largest client there.
   */
  largest(maxOfNetwork = Number.POSITIVE_INFINITY): Member | null {
    const network = this.#networks.first;
    const client = this.#clients.first;
    if (network === null || client === null) return null;
    // If no client has more than one, they differ only in their networks.
    const isNetwork = client.amount <= Math.max(1, network.amount / this.#clientsOfNetwork);
    let group: Group<Member> = isNetwork || network.amount > maxOfNetwork ? network : client;
    for (let next = group.children?.first; next; next = group.children?.first) group = next;
    const [first = null] = group.members;
    return first;
  }

  #groupOf(path: Path): Group<Member> {
    let group: Group<Member> | null = null;
    for (let level = 0; level < path.length; level += 1) {
      const key = path[level] as string;
      const existing = this.#groups.get(key);
      group = existing ?? new Group<Member>(key, group, level === path.length - 1);
      if (existing === undefined) this.#groups.set(key, group);
    }
    if (group === null) throw new Error('A holder has no groups.');
    return group;
  }

  #change(holding: Holding<Member>, amount: number): void {
    const difference = amount - holding.amount;
    holding.amount = amount;
    this.#total += difference;
    for (let group: Group<Member> | null = holding.group; group !== null; group = group.parent) {
      const before = group.amount;
      group.amount += difference;
      const { parent } = group;
      if (parent === null) this.#networks.move(group, before, group.amount);
      else parent.children?.move(group, before, group.amount);
      if (parent !== null && parent.parent === null) this.#clients.move(group, before, group.amount);
      if (group.amount === 0 && group.members.size === 0) this.#groups.delete(group.key);
    }
  }
}
