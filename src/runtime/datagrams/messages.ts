/** Messages between the thread for datagrams and the one that starts it. All values can be sent to another thread. */
import type { DatagramServerName } from '../../core/metrics.ts';
import type { RateStoreAddress } from '../../core/setting-values.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import type { SharedMemory } from '../../edges/node/limits/limits.ts';

/** The settings of the DNS server. */
export interface DnsStart {
  readonly zone: string;
  readonly nameServers: readonly string[];
  /** Addresses of the service; if there are none, those of `host`. */
  readonly addresses: readonly string[];
  /** The host of PUBLIC_URL, a name or an address; null without. */
  readonly host: string | null;
  readonly port: number;
  readonly listenOn: readonly string[];
  /** Other UDP ports of the service. */
  readonly otherPorts: readonly number[];
  /** Responses over UDP per second to one network. */
  readonly responsesPerSecond: number;
  /** Null if no other instance serves the zone. */
  readonly storeAccess: StoreAccess | null;
}

/** What connects the instances that serve one zone. */
export interface StoreAccess {
  readonly store: RateStoreAddress;
  /** Secret that all instances have. */
  readonly secret: string;
}

/** The settings of the STUN server. */
export interface StunStart {
  readonly port: number;
  /** Whether the port after it is a second one. */
  readonly hasMappingPort: boolean;
  readonly listenOn: readonly string[];
  /** Other UDP ports of the service. */
  readonly otherPorts: readonly number[];
  /** Responses per second to one client. */
  readonly responsesPerSecond: number;
}

/** The settings of each server of the thread; null for one that is off. */
export interface ServerStarts {
  readonly dns: DnsStart | null;
  readonly stun: StunStart | null;
}

export interface DatagramStart {
  readonly servers: ServerStarts;
  readonly bounds: Bounds;
  /** The threads that serve are numbered from 1 to `threads`. */
  readonly sharedMemory: Pick<SharedMemory, 'channelName' | 'threads'>;
  /** Whether another process may still have the ports for some time. */
  readonly waitsForPorts: boolean;
}

/** Another process is to get the ports as soon as no request waits. */
export type DatagramRequest = { readonly kind: 'drain' };

export type DatagramReport =
  /** The ports of the servers that are on. */
  | { readonly kind: 'listening'; readonly ports: Readonly<Partial<Record<DatagramServerName, number>>> }
  | { readonly kind: 'pong' };
