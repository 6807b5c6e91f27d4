#!/usr/bin/env node
/**
 * Installs what is missing (packages, the pinned Node, system packages for tests) and runs a task of the project.
 * Plain JavaScript without dependencies, here and in setup/: it runs on any Node from 18, before anything is installed.
 */
import * as os from 'node:os';
import { delimiter, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { endOnSignals, endWithNpm, runChild } from './setup/child.mjs';
import { installPackages } from './setup/packages.mjs';
import { checkPorts } from './setup/ports.mjs';
import { inRoot, isCurrentNode, nodeBinary, root } from './setup/project.mjs';
import { installSystemPackages } from './setup/system-packages.mjs';

const checks = [
  ['tsc', '-p', '.'],
  ['tsc', '-p', 'src/tsconfig.pure.json'],
  ['tsc', '-p', 'src/tsconfig.web.json'],
  ['tsc', '-p', 'src/http/page/browser'],
  ['tsc', '-p', 'src/edges/cloudflare'],
  ['biome', 'ci', '--error-on-warnings'],
];
const testCommand = ['node', '--disable-warning=ExperimentalWarning', '--test', '--test-timeout=60000'];
// Node's default leaves one core free, which on two cores doubles the time.
const onAllCores = `--test-concurrency=${os.cpus().length}`;

/** Names of test files that wait for timeouts, start other programs or draw pictures: `npm run check` leaves them out. */
const slow = [
  ...[
    'faults',
    'first-start',
    'generated-pictures',
    'geoip-files-embedded-asn',
    'grade-hostile',
    'hostile',
    'http3-process',
  ],
  ...['library', 'mcp-conformance', 'mcp-inspector', 'openapi-client', 'openapi-rules', 'rdap-hostile', 'server-drain'],
  ...['service-manager', 'signals', 'tagged-requests', 'tcp-syn', 'thread-crash', 'thread-hang', 'threads', 'upgrade'],
].join('|');
const fast = `!(${slow}).test.ts`;

/** Tests without processes and ports share one process, which loads each module once. */
const pure = 'test/{client,core,http,lookups,mcp,resources,traits}/**';
const pureTests = [...testCommand, '--test-isolation=none', `${pure}/${fast}`];
const otherFastTests = [
  ...testCommand,
  onAllCores,
  `test/${fast}`,
  `test/{cli,edges,ingress,native,runtime,service}/**/${fast}`,
  'test/acceptance/node.test.ts',
];
const otherTests = [
  ...testCommand,
  onAllCores,
  'test/*.test.ts',
  `${pure}/@(${slow}).test.ts`,
  'test/!(abuse|client|core|http|lookups|mcp|resources|traits)/**/*.test.ts',
];
// They compare CPU times, so they run after the others and one file at a time.
const attacks = [...testCommand, '--test-concurrency=1', 'test/abuse/*.test.ts'];

/** @type {Record<string, (args: string[]) => Promise<void>>} */
const tasks = {
  start,
  // The folder, because `--watch` loses a file that an editor replaces.
  dev: (args) =>
    run([node, `--watch-path=${inRoot('src')}`, inRoot('setup.mjs'), 'start', 'dev', ...args], process.cwd()),
  check: async () => {
    await runTogether([...checks, pureTests]);
    await run(otherFastTests, root);
  },
  test: async (args) => {
    installSystemPackages();
    if (args.length > 0) {
      await run([...testCommand, ...args], root);
      return;
    }
    await runTogether([...checks, pureTests]);
    await runInTurn([otherTests, attacks]);
  },
  'test:all': async (args) => {
    // Read by test/random.ts: fuzzing and floods in full length.
    process.env.SEENBY_ALL_TESTS = '1';
    await tasks.test?.(args);
  },
  generate: () => run(['node', 'tools/generate.ts'], root),
  package: () => run(['node', 'tools/package.ts'], root),
  bench: (args) => run(['node', '--disable-warning=ExperimentalWarning', 'bench/bench.ts', ...args], root),
};

const [name = 'start', ...rest] = process.argv.slice(2);
const isStart = name === 'start' || !Object.hasOwn(tasks, name);
if (isStart) endOnSignals();
endWithNpm();
await installPackages(!isStart, async () => {
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
  await runCli(args);
}

/** Runs commands at the same time; ends this process if one fails, after all have ended. @param {string[][]} commands */
async function runTogether(commands) {
  endIfFailed(await Promise.all(commands.map((command) => exitCodeOf(command, root))));
}

/** Runs commands one after another, all of them; ends this process if one fails. @param {string[][]} commands */
async function runInTurn(commands) {
  const codes = [];
  for (const command of commands) codes.push(await exitCodeOf(command, root));
  endIfFailed(codes);
}

/** @param {readonly number[]} codes */
function endIfFailed(codes) {
  const failed = codes.find((code) => code !== 0);
  if (failed !== undefined) process.exit(failed);
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
  if (['check', 'test', 'test:all'].includes(name)) env.NODE_COMPILE_CACHE ??= inRoot('node_modules', '.cache', 'node');
  return (await runChild(command, args, { cwd, stdio: 'inherit', env })).code;
}
