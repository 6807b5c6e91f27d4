/** The connections of each port in all threads of a process, and how one thread asks another to replace one. */
import { BroadcastChannel } from 'node:worker_threads';
import { type PortName, ports } from '../../../ingress/limits/network-share.ts';
import type { CountedState, PortPeers } from '../../../ingress/limits/port-limit.ts';
import type { Key } from '../../../ingress/limits/sip-hash.ts';
import { type OpenCounts, totalKeyOf } from './counters.ts';

/** Memory for `createPortPeers`: for each port its shortages, then the replaceable connections of each thread. */
export const allocateReplaceable = (threads: number): SharedArrayBuffer =>
  new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * ports.length * (threads + 1));

const keyOf = (port: PortName, state: CountedState): Key => totalKeyOf(`${state} ${port}`);

interface PeerOptions {
  /** Name of the channel between the threads. */
  readonly channelName: string;
  readonly replaceable: SharedArrayBuffer;
  readonly totals: OpenCounts;
  readonly threads: number;
  /** From 1 to `threads`. */
  readonly thread: number;
}

interface Asked {
  readonly thread: number;
  readonly port: PortName;
  readonly isNow: boolean;
}

export function createPortPeers({ channelName, replaceable, totals, threads, thread }: PeerOptions): PortPeers {
  const counts = new Int32Array(replaceable);
  const at = (port: PortName, of: number): number => ports.indexOf(port) * (threads + 1) + of;
  const askedFor = new Map<PortName, (isNow: boolean) => void>();
  const channel = new BroadcastChannel(channelName);
  channel.unref();
  channel.onmessage = (message): void => {
    const data = (message as MessageEvent).data as Asked;
    if (data.thread !== thread) return;
    Atomics.add(counts, at(data.port, thread), 1);
    askedFor.get(data.port)?.(data.isNow);
  };
  // The counts of a thread that had this number and ended.
  for (const port of ports) Atomics.store(counts, at(port, thread), 0);
  return {
    threads,
    add: (port, state) => void totals.add(keyOf(port, state), 0),
    remove: (port, state) => totals.remove(keyOf(port, state)),
    count: (port, state) => totals.count(keyOf(port, state)),
    countReplaceable(port, change) {
      Atomics.add(counts, at(port, thread), change);
    },
    ask(port, isNow) {
      let most = 0;
      let asked: number | null = null;
      for (let each = 1; each <= threads; each += 1) {
        const count = Atomics.load(counts, at(port, each));
        if (each === thread || count <= most) continue;
        most = count;
        asked = each;
      }
      if (asked === null) return false;
      // While the thread does not respond, others must not request more connections than it has.
      Atomics.sub(counts, at(port, asked), 1);
      channel.postMessage({ thread: asked, port, isNow } satisfies Asked);
      return true;
    },
    onAsk: (port, replace) => void askedFor.set(port, replace),
    countShortage: (port) => void Atomics.add(counts, at(port, 0), 1),
    shortages: (port) => Atomics.load(counts, at(port, 0)),
  };
}
