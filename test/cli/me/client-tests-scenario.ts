/** Runs in the namespace of a delegation: `me` with the real service, with a resolver and without one that responds; prints the results. */
import { fork, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Delegation, dns } from '../../internet/delegation.ts';
import { addresses } from '../../internet/recursive-resolvers.ts';

export interface Printed {
  readonly whole: string;
  readonly short: string;
  readonly json: string;
  /** From a service without the tests. */
  readonly withoutTests: string;
  /** With a resolver that does not respond. */
  readonly silent: string;
  /** Whether that command ended before a process that waits for all of its resolutions. */
  readonly endedFirst: boolean;
}

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const flags = ['--disable-warning=ExperimentalWarning'];

async function me(...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [...flags, fileOf('../../../src/cli/seenby.ts'), 'me', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return text(child.stdout);
}

using delegation = new Delegation();
const service = await delegation.serve(dns);
const without = await delegation.serve({});
const url = `${service.http}`;
const whole = await me(url);
const short = await me(url, '--short');
const json = await me(url, '--json');
const withoutTests = await me(`${without.http}`);

const nobody = createSocket('udp4').bind(53, addresses.forwarder);
await once(nobody, 'listening');
writeFileSync('/etc/resolv.conf', `nameserver ${addresses.forwarder}\n`);
// The first query begins the yardstick.
const waiting = fork(fileOf('../../../src/cli/me/resolve-names.ts'), {
  execArgv: flags,
  stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
});
waiting.send(['silent.example.']);
waiting.once('message', () => waiting.once('message', () => waiting.disconnect()));
let hasWaited = false;
const waited = once(waiting, 'exit').then(() => {
  hasWaited = true;
});
await once(nobody, 'message');
const silent = await me(url);
const endedFirst = !hasWaited;
waiting.kill('SIGKILL');
await waited;
nobody.close();
await Promise.all([service.close(), without.close()]);
const printed: Printed = { whole, short, json, withoutTests, silent, endedFirst };
process.stdout.write(JSON.stringify(printed));
