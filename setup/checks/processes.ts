/** Child processes of the checks: each leads a group, which ends with it or when this process is asked to end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { root } from '../project.mjs';

/** Characters of the output that are kept: the last ones. */
const keptOutput = 1_000_000;
const killAfterMs = 2000;
const hasGroups = process.platform !== 'win32';
const running = new Set<ChildProcess>();
let interruption: NodeJS.Signals | null = null;

export interface RunningProcess {
  /** What it writes to file descriptor 3. */
  readonly reports: Readable;
  /** Resolves when it has ended. `code` is its exit code, or the name of the signal that ended it. */
  readonly ended: Promise<{ readonly code: number | string; readonly output: string }>;
  end(): void;
}

/** The signal that asked this process to end, or null. */
export const interruptedBy = (): NodeJS.Signals | null => interruption;

/** On a signal to end, ends the children; what waits for them then continues. */
export function endChildrenOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      interruption ??= signal;
      for (const child of running) endGently(child);
    });
}

export function startProcess([command = '', ...args]: readonly string[]): RunningProcess {
  const child = spawn(command, args, {
    cwd: root,
    // Without it, a test of these checks would report to the process that runs the test.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: hasGroups,
    // The names of programs of npm packages end with .cmd there.
    shell: !hasGroups && command !== process.execPath,
  });
  running.add(child);
  return {
    reports: child.stdio[3] as Readable,
    ended: outcomeOf(child, command),
    end: () => endGently(child),
  };
}

async function outcomeOf(child: ChildProcess, command: string): Promise<{ code: number | string; output: string }> {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-keptOutput);
    });
  const closed = once(child, 'close').catch(() => {});
  try {
    const [code, signal] = await once(child, 'exit');
    // What it left behind would keep its output open.
    signalGroup(child, 'SIGKILL');
    await closed;
    return { code: code ?? signal, output };
  } catch (error) {
    return { code: 1, output: `cannot run ${command}: ${error instanceof Error ? error.message : error}` };
  } finally {
    running.delete(child);
  }
}

function endGently(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM');
  setTimeout(signalGroup, killAfterMs, child, 'SIGKILL').unref();
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (hasGroups) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // The group has ended already.
  }
}
