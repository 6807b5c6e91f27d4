/** Floods of new connections; they run in the process of attacker.ts. */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { addressOf, openPlain, type Target } from './attacks.ts';

interface ConnectFlood extends Target {
  readonly perSecond: number;
  readonly addresses: number;
  /** Connections whose pipelined requests keep the service busy meanwhile. */
  readonly pipelining: number;
  readonly durationMs: number;
}

const tickMs = 5;

/** Opens connections at a steady rate, each with one request, while another address pipelines requests and reads the responses. */
export async function floodConnections({ perSecond, addresses, pipelining, durationMs, httpPort }: ConnectFlood) {
  const startMs = performance.now();
  const endMs = startMs + durationMs;
  const requests = Buffer.from('GET /json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(200));
  const busy = await Promise.all(Array.from({ length: pipelining }, () => openPlain(httpPort, addressOf(100))));
  for (const socket of busy) {
    const write = (): void => {
      while (!socket.destroyed && performance.now() < endMs && socket.write(requests));
    };
    socket.resume().on('drain', write);
    write();
  }
  let opened = 0;
  let responses = 0;
  while (performance.now() < endMs) {
    for (; opened < ((performance.now() - startMs) / 1000) * perSecond; opened += 1) {
      const socket = connect({ host: '127.0.0.1', port: httpPort, localAddress: addressOf(opened % addresses) });
      socket.on('error', () => {}).end('GET /ip HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      socket.on('data', () => {
        responses += 1;
      });
    }
    await delay(tickMs);
  }
  for (const socket of busy) socket.destroy();
  return { opened, responses };
}
