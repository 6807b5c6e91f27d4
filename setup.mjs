#!/usr/bin/env node
/**
 * Installs what is missing (packages, the pinned Node, system packages for tests) and runs a task of the project.
 * Plain JavaScript without dependencies, here and in setup/: it runs on any Node from 18, before anything is installed.
 */
import { delimiter, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { endWithNpm, runChild } from './setup/child.mjs';
import { installPackages } from './setup/packages.mjs';
import { checkPorts } from './setup/ports.mjs';
import { inRoot, isCurrentNode, nodeBinary, root } from './setup/project.mjs';
import { installSystemPackages } from './setup/system-packages.mjs';
import { handleFirstSignals } from './src/cli/first-signals.mjs';

/** @type {Record<string, (args: string[]) => Promise<void>>} */
const tasks = {
  start,
  // The folder, because `--watch` loses a file that an editor replaces.
  dev: (args) =>
    run([node, `--watch-path=${inRoot('src')}`, inRoot('setup.mjs'), 'start', 'dev', ...args], process.cwd()),
  check: (args) => runChecks(args),
  test: async (args) => {
    // A named file may be one of the second tier.
    await installSystemPackages(args.length > 0);
    await runChecks(args);
  },
  'test:heavy': testInFull,
  'test:all': testInFull,
  generate: () => run(['node', 'tools/generate.ts'], root),
  package: () => run(['node', 'tools/package.ts'], root),
  bench: (args) => run(['node', '--disable-warning=ExperimentalWarning', 'bench/bench.ts', ...args], root),
};

const [name = 'start', ...rest] = process.argv.slice(2);
const isStart = name === 'start' || !Object.hasOwn(tasks, name);
if (isStart) handleFirstSignals();
endWithNpm();
// The tests need most packages; a start from the sources needs none of these.
await installPackages(!isStart && name !== 'dev', async () => {
  if (isStart) await checkPorts(name === 'start' ? rest : process.argv.slice(2));
});
const node = nodeBinary();
await (Object.hasOwn(tasks, name) ? tasks[name]?.(rest) : start(process.argv.slice(2)));

/** Serves in this process if it runs on the right Node, otherwise in a child process. @param {string[]} args */
async function start(args) {
  if (!isCurrentNode(node)) {
    await run([node, ...process.execArgv, inRoot('setup.mjs'), 'start', ...args], process.cwd());
    return;
  }
  /** @param {string} file */
  const load = (file) => import(pathToFileURL(inRoot('src', 'cli', file)).href);
  const { keepCompiledCode } = await load('compile-cache.mjs');
  keepCompiledCode(inRoot('node_modules', '.cache', 'seenby'));
  const { run: runCli } = await load('run.ts');
  // Wherever the command line is called from.
  await runCli(args, { dataFolder: inRoot('data') });
}

/** Runs the second tier, or both, in full length: test/random.ts reads the variable. @param {readonly string[]} args */
async function testInFull(args) {
  process.env.SEENBY_ALL_TESTS = '1';
  await installSystemPackages(true);
  await runChecks(args);
}

/** Runs types, lint and tests. @param {readonly string[]} args */
function runChecks(args) {
  return run([node, inRoot('setup', 'checks', 'run.ts'), name, ...args], root);
}

/** Runs a command; ends this process if it fails. @param {string[]} command @param {string} cwd */
async function run(command, cwd) {
  const code = await exitCodeOf(command, cwd);
  if (code !== 0) process.exit(code);
}

/** Runs a command with the project's packages on the PATH. @param {string[]} command @param {string} cwd */
async function exitCodeOf([command = '', ...args], cwd) {
  const path = [dirname(node), inRoot('node_modules', '.bin'), process.env.PATH].join(delimiter);
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env, PATH: path };
  // Compiled code of the modules that nearly every test file loads: a fifth of the time of the fast tests.
  if (['check', 'test', 'test:heavy', 'test:all'].includes(name))
    env.NODE_COMPILE_CACHE ??= inRoot('node_modules', '.cache', 'node');
  return (await runChild(command, args, { cwd, stdio: 'inherit', env })).code;
}
