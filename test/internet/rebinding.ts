/**
 * A DNS server that rebinds: each name below rebind.test alternates between a public and a private address, with TTL 0. Those that start with
 * `aaaa-` keep the public one, and have queries for AAAA fail (RFC 4074).
 */
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

/** RFC 1035 §4.1.1. */
const statuses: Readonly<Record<string, number>> = { formerr: 1, servfail: 2, nxdomain: 3, notimp: 4, refused: 5 };

export async function startRebinding(): Promise<void> {
  const turnsTaken = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const { id, questions: [question] = [] } = decode(message);
    if (question === undefined) return;
    const { name, type } = question;
    const failure = /^aaaa-([a-z]+)\./.exec(name)?.[1];
    if (failure === 'silent' && type !== 'A') return;
    const status = failure === undefined || type === 'A' ? 0 : (statuses[failure] ?? 0);
    const turn = failure === undefined ? (turnsTaken.get(name) ?? 0) : 0;
    if (type === 'A') turnsTaken.set(name, turn + 1);
    const data = turns[turn % turns.length] ?? '';
    const answers = type === 'A' ? [{ type, name, ttl: 0, data } as const] : [];
    // 0x0480: authoritative, recursion available.
    socket.send(
      encode({ type: 'response', id, flags: 0x0480 | status, questions: [question], answers }),
      port,
      address,
    );
  });
  await new Promise<void>((resolve) => socket.bind(rebindPort, '127.0.0.1', resolve));
}
