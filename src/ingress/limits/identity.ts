/** The identity of a client, by which every limit counts it: computed once for each connection or datagram. */
import { hash, randomUUID } from 'node:crypto';
import { clientNetworkOf } from '../../wire/client-network.ts';
import { createSipHash, type Key } from './sip-hash.ts';

/** Who has a part of something. The names of networks, prefixes and addresses are all different. */
export interface Holder {
  /** IPv4: /24, IPv6: /48. */
  readonly network: string;
  /** One client. IPv4: the address, IPv6: /64. */
  readonly prefix: string;
  readonly ip: string;
}

/** Parts are computed when a limit uses them: a visit that comes alone uses few. */
export class Identity implements Holder {
  /** Empty if unknown. */
  readonly ip: string;
  readonly #hash: (text: string) => Key;
  #network: string | null = null;
  #prefix: string | null = null;
  #key: Key | null = null;
  #networkKey: Key | null = null;

  constructor(ip: string, hash: (text: string) => Key) {
    this.ip = ip;
    this.#hash = hash;
  }

  get isIpv6(): boolean {
    return this.ip.includes(':');
  }

  get network(): string {
    this.#network ??= this.isIpv6 ? clientNetworkOf(this.ip, 48) : `${this.ip.slice(0, this.ip.lastIndexOf('.'))}.0/24`;
    return this.#network;
  }

  get prefix(): string {
    this.#prefix ??= clientNetworkOf(this.ip);
    return this.#prefix;
  }

  /** Names the client in tables that outlive its connections: a keyed hash of the prefix, so that no table contains an address. */
  get key(): Key {
    this.#key ??= this.#hash(this.prefix);
    return this.#key;
  }

  /** Hash of the client's network. */
  get networkKey(): Key {
    this.#networkKey ??= this.#hash(this.network);
    return this.#networkKey;
  }
}

/** Null is an unknown address. */
export type Identify = (ip: string | null) => Identity;

/** Processes and threads that share a secret count together; without one, this process has a random one. */
export function createIdentify(secret: string = randomUUID()): Identify {
  const digest = hash('sha256', secret, 'buffer');
  const sipHash = createSipHash([0, 4, 8, 12].map((at) => digest.readInt32LE(at)));
  return (ip) => new Identity(ip ?? '', sipHash);
}
