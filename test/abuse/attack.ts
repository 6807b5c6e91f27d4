/** Starts an attack and returns its result. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { AttackName, Attacks } from './attacker.ts';
import type { Target } from './attacks.ts';

/** One for all attacks of a file, which run one after another: its start takes as long as a short attack. */
let attacker: ChildProcess | null = null;
after(() => attacker?.disconnect());

/** `onBegun` is called when the process that attacks has started. */
export async function runAttack<Name extends AttackName>(
  target: Target,
  name: Name,
  attack: Omit<Parameters<Attacks[Name]>[0], keyof Target>,
  onBegun = () => {},
): Promise<Awaited<ReturnType<Attacks[Name]>>> {
  const { httpPort, httpsPort } = target;
  attacker ??= startAttacker();
  const over = new AbortController();
  const { signal } = over;
  const ended = once(attacker, 'exit', { signal }).then(() =>
    Promise.reject(new Error(`${name} ended without a result`)),
  );
  const { promise: result, resolve } = Promise.withResolvers<unknown>();
  const onMessage = (message: unknown): void => {
    if (message === 'begun') onBegun();
    else resolve(message);
  };
  attacker.on('message', onMessage).send({ name, attack: { ...attack, httpPort, httpsPort } });
  try {
    return (await Promise.race([result, ended])) as Awaited<ReturnType<Attacks[Name]>>;
  } finally {
    attacker?.off('message', onMessage);
    over.abort();
    ended.catch(() => {});
  }
}

function startAttacker(): ChildProcess {
  const path = fileURLToPath(new URL('attacker.ts', import.meta.url));
  return fork(path, { execArgv: ['--disable-warning=ExperimentalWarning'] }).once('exit', () => {
    attacker = null;
  });
}
