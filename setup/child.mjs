/** Child processes: signals are forwarded to them, and this process ends with them. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fail } from './project.mjs';

/** @type {readonly NodeJS.Signals[]} */
const forwardedSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const killAfterMs = 2000;

/**
 * Runs a command until it ends. A signal to this process ends the command. With `ownGroup` it ends
 * its children too, by force if they do not end in time.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions & { readonly ownGroup?: boolean }} options
 * @returns {Promise<{ code: number, signal: NodeJS.Signals | null }>} the exit code and the signal that this process received
 */
export function runChild(command, args, { ownGroup = false, ...options }) {
  const detached = ownGroup && process.platform !== 'win32';
  const child = spawn(command, args, { ...options, detached });
  /** @type {NodeJS.Signals | null} */
  let received = null;
  const forward = (/** @type {NodeJS.Signals} */ signal) => {
    received = signal;
    // A terminal sends its interrupt to the whole group itself.
    if (signal === 'SIGINT' && process.stdin.isTTY && !detached) return;
    if (!detached || child.pid === undefined) {
      child.kill(signal);
      return;
    }
    const group = child.pid;
    killGroup(group, signal);
    // npm waits for its downloads, even stalled ones, before it obeys.
    setTimeout(killGroup, killAfterMs, group, 'SIGKILL').unref();
  };
  for (const signal of forwardedSignals) process.on(signal, forward);
  return new Promise((resolve) => {
    child.on('error', (error) => fail(`cannot run ${command}: ${error.message}`));
    child.on('exit', (code, signal) => {
      for (const each of forwardedSignals) process.off(each, forward);
      resolve({ code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), signal: received });
    });
  });
}

/** @param {number} pid @param {NodeJS.Signals} signal */
function killGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended already.
  }
}

/** npm's shell does not forward signals: when it has ended, this process ends too. */
export function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  // Often enough that a signal to the whole group and this one count as the same, see src/cli/start.ts.
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 200);
  timer.unref();
}
