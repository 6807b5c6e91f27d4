/** Floods of new connections; they run in the process of attacker.ts. */
import { Agent, get } from 'node:http';
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

interface PageLoad extends Target {
  readonly addresses: number;
  readonly durationMs: number;
}

/** Loads the start page from many addresses, each one page after the other on a kept connection; returns the number of pages. */
export async function loadPages({ addresses, durationMs, httpPort }: PageLoad) {
  const endMs = performance.now() + durationMs;
  let pages = 0;
  const load = (agent: Agent, localAddress: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const headers = { Accept: 'text/html', 'Accept-Encoding': 'br' };
      const request = get({ host: '127.0.0.1', port: httpPort, agent, localAddress, headers }, (response) => {
        if (response.statusCode === 200) pages += 1;
        response.resume().on('end', resolve);
      });
      request.on('error', reject);
    });
  const loadAll = async (at: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (performance.now() < endMs) await load(agent, addressOf(at));
    agent.destroy();
  };
  await Promise.all(Array.from({ length: addresses }, (_, at) => loadAll(at)));
  return pages;
}
