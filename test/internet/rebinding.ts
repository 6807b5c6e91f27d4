/** A DNS server that rebinds: each name below rebind.test alternates between a public and a private address, with TTL 0. */
import { createSocket } from 'node:dgram';
import { decode, encode } from 'dns-packet';
import { respondWith } from './behaviors.ts';
import type { Site } from './site.ts';

export const rebindPort = 5533;

/** The public address; a test that uses its own name is independent of other tests. */
export const rebindSite: Site = {
  host: 'rebind.test',
  addresses: ['23.215.0.30'],
  delegated: true,
  behavior: respondWith(200, { 'content-type': 'text/plain' }, 'public'),
};
const turns = [...(rebindSite.addresses ?? []), '10.0.0.5'];

export async function startRebinding(): Promise<void> {
  const turnsTaken = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const { id, questions: [question] = [] } = decode(message);
    if (question === undefined) return;
    const { name, type } = question;
    const turn = turnsTaken.get(name) ?? 0;
    if (type === 'A') turnsTaken.set(name, turn + 1);
    const data = turns[turn % turns.length] ?? '';
    const answers = type === 'A' ? [{ type, name, ttl: 0, data } as const] : [];
    // 0x0480: authoritative, recursion available.
    socket.send(encode({ type: 'response', id, flags: 0x0480, questions: [question], answers }), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(rebindPort, '127.0.0.1', resolve));
}
