/** Starts an attack and returns its result. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { AttackName, Attacks } from './attacker.ts';
import type { Target } from './attacks.ts';

/** Processes whose attack is over, for the next ones of the file: to start one takes as long as many attacks. */
const idle: ChildProcess[] = [];
after(() => {
  for (const child of idle) child.disconnect();
});

export async function runAttack<Name extends AttackName>(
  target: Target,
  name: Name,
  attack: Omit<Parameters<Attacks[Name]>[0], keyof Target>,
): Promise<Awaited<ReturnType<Attacks[Name]>>> {
  const { httpPort, httpsPort } = target;
  const child = idle.pop() ?? startAttacker();
  const over = new AbortController();
  const { signal } = over;
  const ended = once(child, 'exit', { signal }).then(() => Promise.reject(new Error(`${name} ended without a result`)));
  child.send({ name, attack: { ...attack, httpPort, httpsPort } });
  const [result] = await Promise.race([once(child, 'message', { signal }), ended]).finally(() => {
    ended.catch(() => {});
    over.abort();
  });
  idle.push(child);
  return result as Awaited<ReturnType<Attacks[Name]>>;
}

const startAttacker = (): ChildProcess =>
  fork(fileURLToPath(new URL('attacker.ts', import.meta.url)), { execArgv: ['--disable-warning=ExperimentalWarning'] });
