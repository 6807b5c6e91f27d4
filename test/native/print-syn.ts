/**
 * Prints what Seenby reports of the TCP packets of two connections to itself: one with SYN cookies if the kernel runs out of room, one with SYN
 * cookies always. A program, so that it can run in another network.
 */
import { writeFileSync } from 'node:fs';
import { http1Client } from '../acceptance/client.ts';
import { startNode } from '../node-service.ts';

const service = await startNode({ host: '127.0.0.1' });
const reported: unknown[] = [];
for (const syncookies of ['1', '2']) {
  writeFileSync('/proc/sys/net/ipv4/tcp_syncookies', syncookies);
  const { body } = await http1Client(service.http ?? '').request('/fingerprint');
  reported.push(JSON.parse(body).tcp);
}
process.stdout.write(JSON.stringify(reported));
await service.close();
