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
  /** With a resolver that does not respond; by the service's address, and by its name. */
  readonly silent: string;
  readonly silentByName: string;
  /** With another resolver after that one. */
  readonly second: string;
  /** Whether that command ended before a process that waits for all of its resolutions. */
  readonly endedFirst: boolean;
}

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const flags = ['--disable-warning=ExperimentalWarning'];

async function me(...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [...flags, fileOf('../../../src/cli/seenby.ts'), 'me', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return `${out}${err}`;
}

using delegation = new Delegation();
const service = await delegation.serve({ ...dns, STUN_PORT: '3478', STUN_HOST: 'ns-ipv4.example' });
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
const byName = `http://ns-ipv4.example:${new URL(url).port}`;
const silentByName = await me(byName);
writeFileSync('/etc/resolv.conf', `nameserver ${addresses.forwarder}\nnameserver ${addresses.resolver}\n`);
const second = await me(byName);
nobody.close();
await Promise.all([service.close(), without.close()]);
const printed: Printed = { whole, short, json, withoutTests, silent, silentByName, second, endedFirst };
process.stdout.write(JSON.stringify(printed));
