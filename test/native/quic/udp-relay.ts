/** A relay between QUIC clients and a server that records, delays, loses, repeats and reorders datagrams. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

export interface RelayOptions {
  /** Of each direction. */
  readonly delayMs?: number;
  /** Decides the fate of a datagram: how often it arrives, and how much later than others. */
  fate?(bytes: Buffer): { readonly copies: number; readonly extraMs: number };
}

export interface UdpRelay extends AsyncDisposable {
  readonly port: number;
  /** What clients have sent, in order. */
  readonly fromClients: readonly Buffer[];
  readonly fromServer: readonly Buffer[];
  /** Ports of the clients so far. */
  readonly clientPorts: readonly number[];
  /** Sends a datagram to the server from the relay's socket for a client. */
  sendAs(clientPort: number, bytes: Buffer): void;
}

/** Timers alone are late by a millisecond or two. */
function callAt(timeMs: number, call: () => void): void {
  const leftMs = timeMs - performance.now();
  if (leftMs > 2) setTimeout(callAt, leftMs - 2, timeMs, call);
  else if (leftMs > 0) setImmediate(callAt, timeMs, call);
  else call();
}

export async function startUdpRelay(serverPort: number, options: RelayOptions = {}): Promise<UdpRelay> {
  const { delayMs = 0, fate = () => ({ copies: 1, extraMs: 0 }) } = options;
  const front = createSocket('udp4');
  const backs = new Map<number, Socket>();
  const fromClients: Buffer[] = [];
  const fromServer: Buffer[] = [];
  let isOpen = true;
  const pass = (bytes: Buffer, send: (bytes: Buffer) => void): void => {
    const { copies, extraMs } = fate(bytes);
    for (let copy = 0; copy < copies; copy += 1)
      if (delayMs + extraMs === 0) send(bytes);
      else callAt(performance.now() + delayMs + extraMs, () => isOpen && send(bytes));
  };
  front.on('message', (bytes, { port }) => {
    fromClients.push(bytes);
    let back = backs.get(port);
    if (back === undefined) {
      back = createSocket('udp4');
      backs.set(port, back);
      back.on('error', () => {});
      back.on('message', (reply) => {
        fromServer.push(reply);
        pass(reply, (passed) => front.send(passed, port, '127.0.0.1'));
      });
    }
    pass(bytes, (passed) => back.send(passed, serverPort, '127.0.0.1'));
  });
  await once(front.bind(0, '127.0.0.1'), 'listening');
  return {
    port: front.address().port,
    fromClients,
    fromServer,
    get clientPorts() {
      return [...backs.keys()];
    },
    sendAs: (clientPort, bytes) => backs.get(clientPort)?.send(bytes, serverPort, '127.0.0.1'),
    async [Symbol.asyncDispose]() {
      isOpen = false;
      front.close();
      for (const back of backs.values()) back.close();
    },
  };
}
