/** Starts an attack and returns its result. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AttackName, Attacks } from './attacker.ts';
import type { Target } from './attacks.ts';

export async function runAttack<Name extends AttackName>(
  target: Target,
  name: Name,
  attack: Omit<Parameters<Attacks[Name]>[0], keyof Target>,
): Promise<Awaited<ReturnType<Attacks[Name]>>> {
  const { httpPort, httpsPort } = target;
  const child = fork(fileURLToPath(new URL('attacker.ts', import.meta.url)), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  child.send({ name, attack: { ...attack, httpPort, httpsPort } });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${name} ended without a result`)));
  const [result] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => {});
  return result as Awaited<ReturnType<Attacks[Name]>>;
}
