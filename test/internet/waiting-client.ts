/**
 * Requests a URL again and again, each time on a new connection from the given address, and prints how much CPU time the main thread of
 * a process uses before it responds, in ms: a busy machine lengthens every other time. It runs inside the simulated internet.
 */
import { readFileSync } from 'node:fs';
import { sendRequest } from './request.ts';

const [url = '', from = '', pid = ''] = process.argv.slice(2);

const usedMs = (): number => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

for (;;) {
  const beforeMs = usedMs();
  const { status } = await sendRequest(url, { from });
  console.log(`${status} ${usedMs() - beforeMs}`);
}
