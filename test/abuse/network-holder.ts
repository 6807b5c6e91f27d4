/**
 * A thread that holds connections from many addresses, for network-scenario.ts: each sends a request from time to time, because it would be
 * closed otherwise. Posts how many are open.
 */
import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

export interface Holding {
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
  /** Connections of each address. */
  readonly each: number;
  /** Whether a connection that the service closes is replaced by another. */
  readonly reconnects: boolean;
}

/** Below the time for which the service keeps an idle connection. */
const requestMs = 25_000;
/** Connections without a response: others wait behind them until the service accepts them, as in a flood of connections. */
const maxOpening = 200;

const { host, port, addresses, each, reconnects }: Holding = workerData;
const request = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
const waiting = Array.from({ length: each }, () => addresses).flat();
let opening = 0;
let open = 0;

function openMore(): void {
  while (opening < maxOpening) {
    const localAddress = waiting.shift();
    if (localAddress === undefined) return;
    opening += 1;
    let isOpening = true;
    const endOpening = (): void => {
      if (!isOpening) return;
      isOpening = false;
      opening -= 1;
      setImmediate(openMore);
    };
    const socket = connect({ host, port, localAddress });
    const timer = setInterval(() => socket.write(request), requestMs);
    socket.once('connect', () => {
      socket.write(request);
      open += 1;
      socket.once('close', () => {
        open -= 1;
      });
    });
    socket.once('data', endOpening).resume();
    socket
      .on('error', () => {})
      .once('close', () => {
        clearInterval(timer);
        if (reconnects) waiting.push(localAddress);
        endOpening();
        setImmediate(openMore);
      });
  }
}

openMore();
setInterval(() => parentPort?.postMessage(open), 100);
