/** Runs a scenario of a test in a network namespace of its own, in which it may have any address. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { runToEnd } from './quic-clients.ts';
import { waitLimitMs } from './until.ts';

const environment: NodeJS.ProcessEnv = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };

/** The network, and the processes: all of them end with the scenario. */
const namespaces = ['--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** With the privilege to create namespaces, or in a user namespace that grants it. */
const options = [namespaces, [...namespaces, '--map-root-user']].find(
  (each) => spawnSync('unshare', [...each, 'ip', 'link', 'set', 'lo', 'up'], { env: environment }).status === 0,
);

const isMissing = (command: string): boolean =>
  spawnSync(command, ['--help'], { env: environment }).error !== undefined;

/** Reason to skip a test that needs namespaces and these commands; false if there is none. In CI, a missing one is a failure. */
export function skipWithoutNamespaces(...commands: readonly string[]): string | false {
  if (process.env.CI) return false;
  if (options === undefined) return 'needs unshare, ip and the privilege to create namespaces';
  const missing = commands.filter(isMissing);
  return missing.length === 0 ? false : `needs ${missing.join(', ')}`;
}

/**
 * Runs a program of Node in a namespace that the shell commands of `setUp` have prepared, which must end with `"$@"` and may append
 * arguments; returns what it printed as JSON. Other programs in the namespace may write to its standard error.
 */
export async function runInNamespace(setUp: string, scenario: string, args: readonly string[] = []): Promise<unknown> {
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', scenario, ...args];
  const { NODE_TEST_CONTEXT: _, ...env } = environment;
  const child = spawn('unshare', [...(options ?? namespaces), 'sh', '-c', setUp, 'sh', ...command], {
    env,
    timeout: waitLimitMs,
  });
  const { output, printed, code } = await runToEnd(child);
  assert.equal(code, 0, printed);
  return JSON.parse(output);
}

/** Shell commands for a second namespace, `$peer`, in which the interface `outside` is connected with `inside`. */
export const twoNetworks = `
  set -e
  unshare --net sleep infinity & peer=$!
  trap 'kill $peer' EXIT
  while [ "$(readlink /proc/$peer/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
  ip link set lo up
  ip link add inside type veth peer name outside netns $peer
  ip link set inside up
  nsenter --net -t $peer sh -c 'ip link set lo up && ip link set outside up'
`;
