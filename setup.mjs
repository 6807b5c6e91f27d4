#!/usr/bin/env node
/**
 * Sets up what is missing (packages, the pinned Node, for tests the system's packages) and runs the project with it.
 * Plain JavaScript without dependencies: it has to run on any Node from 18, before anything is installed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const inRoot = (/** @type {string[]} */ ...path) => join(root, ...path);
/** @type {Record<string, string>} */
const pinnedNodes = JSON.parse(readFileSync(inRoot('package.json'), 'utf8')).optionalDependencies;
const pinnedVersion = `v${Object.values(pinnedNodes)[0]}`;

/** Commands that `apt-get` provides where the tests run as root on Debian, by the package that has them. */
const systemPackages = {
  curl: 'curl',
  ip: 'iproute2',
  unbound: 'unbound',
  'ldns-signzone': 'ldnsutils',
  haproxy: 'haproxy',
  nginx: 'nginx',
  caddy: 'caddy',
  chromium: 'chromium',
};

const checks = [
  ['tsc', '-p', '.'],
  ['tsc', '-p', 'src/tsconfig.pure.json'],
  ['tsc', '-p', 'src/tsconfig.web.json'],
  ['tsc', '-p', 'src/http/page/browser'],
  ['tsc', '-p', 'src/edges/cloudflare'],
  ['biome', 'ci', '--error-on-warnings'],
];
const runTests = ['node', '--disable-warning=ExperimentalWarning', '--test', '--test-timeout=60000'];
const everyTest = [...runTests, 'test/**/*.test.ts'];
/** Without those that wait for time limits or start other people's programs. */
const fastTests = [
  ...runTests,
  'test/*.test.ts',
  'test/{client,core,http,lookups,resources}/**/!(hostile).test.ts',
  'test/edges/{node,proxy}/*.test.ts',
  'test/edges/cloudflare/!(bundle).test.ts',
  'test/acceptance/node.test.ts',
  'test/mcp/{client,server,tools}.test.ts',
];

/** @type {Record<string, (args: string[]) => Promise<void>>} */
const tasks = {
  start,
  // The folder, because `--watch` loses sight of a file that an editor replaces.
  dev: (args) =>
    run([node, `--watch-path=${inRoot('src')}`, inRoot('setup.mjs'), 'start', 'dev', ...args], process.cwd()),
  check: () => runAll([...checks, fastTests]),
  test: async (args) => {
    installSystemPackages();
    await runAll(args.length > 0 ? [[...runTests, ...args]] : [...checks, everyTest]);
  },
  bench: (args) => runAll([['node', '--disable-warning=ExperimentalWarning', 'bench/bench.ts', ...args]]),
};

const [name = 'start', ...rest] = process.argv.slice(2);
endWithNpm();
await installPackages(Object.hasOwn(tasks, name) && name !== 'start');
const node = nodeBinary();
await (Object.hasOwn(tasks, name) ? tasks[name]?.(rest) : start(process.argv.slice(2)));

/** npm's shell takes a signal and does not pass it on: where it has gone, this process ends too. */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 500);
  timer.unref();
}

/**
 * Installs the locked packages unless this lock file was installed before; to serve, without those of development.
 * @param {boolean} forDevelopment
 */
async function installPackages(forDevelopment) {
  const stamp = inRoot('node_modules', '.installed-lock');
  const lock = createHash('sha256')
    .update(readFileSync(inRoot('package-lock.json')))
    .digest('hex');
  const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
  const omit = forDevelopment ? '' : ' --omit=dev';
  if (installed === lock || installed === lock + omit) return;
  const { npm_execpath: npm } = process.env;
  const [command, ...args] = npm?.endsWith('.js') ? [process.execPath, npm, 'ci'] : ['npm', 'ci'];
  const done = progress('Installing packages: the databases and Node are large, this happens once');
  const options = ['--loglevel=error', '--no-progress', ...omit.trim().split(' ')].filter((option) => option !== '');
  const child = spawn(/** @type {string} */ (command), [...args, ...options], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  const code = await exitOf(child);
  done();
  if (code !== 0) fail(`npm ci ended with code ${code}; its own message stands above`);
  writeFileSync(stamp, lock + omit);
}

/** Says that work goes on: in place on a terminal, a line every five seconds elsewhere. @param {string} what */
function progress(what) {
  const began = Date.now();
  const terminal = process.stderr.isTTY;
  const say = () => {
    const seconds = Math.round((Date.now() - began) / 1000);
    process.stderr.write(terminal ? `\r${what} … ${seconds} s` : `${what} … ${seconds} s\n`);
  };
  say();
  const timer = setInterval(say, terminal ? 500 : 5000);
  return () => {
    clearInterval(timer);
    say();
    if (terminal) process.stderr.write('\n');
  };
}

/** The pinned Node, or this one where the platform has no pinned build and this one is new enough. */
function nodeBinary() {
  const binary = Object.keys(pinnedNodes)
    .flatMap((name) => [inRoot('node_modules', name, 'bin', 'node'), inRoot('node_modules', name, 'bin', 'node.exe')])
    .find((path) => existsSync(path));
  if (binary !== undefined && versionOf(binary) === pinnedVersion) return binary;
  if (Number.parseInt(process.versions.node, 10) >= Number.parseInt(pinnedVersion.slice(1), 10))
    return process.execPath;
  return fail(
    `there is no Node ${pinnedVersion} for ${process.platform} ${process.arch} in the registry; install it and run this again`,
  );
}

/** Asks a binary only where it is not the one that runs this: to ask takes as long as a start. @param {string} binary */
function versionOf(binary) {
  if (isThisNode(binary)) return process.version;
  return spawnSync(binary, ['--version']).stdout?.toString().trim();
}

/** @param {string} binary */
function isThisNode(binary) {
  return realpathSync(binary) === realpathSync(process.execPath);
}

/** Serves in this process where it is the Node to run with, else in one of its own. @param {string[]} args */
async function start(args) {
  if (!isThisNode(node)) {
    await run([node, ...process.execArgv, inRoot('setup.mjs'), 'start', ...args], process.cwd());
    return;
  }
  const { run: runCli } = await import(pathToFileURL(inRoot('src', 'cli.ts')).href);
  await runCli(args);
}

/** @param {string[][]} commands */
async function runAll(commands) {
  for (const command of commands) await run(command, root);
}

/** Runs a command of the project's packages; ends this process where it fails. @param {string[]} command @param {string} cwd */
async function run([command = '', ...args], cwd) {
  const path = [dirname(node), inRoot('node_modules', '.bin'), process.env.PATH].join(delimiter);
  const child = spawn(command, args, { cwd, stdio: 'inherit', env: { ...process.env, PATH: path } });
  const forward = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  // A terminal sends its interrupt to the child as well.
  process.on('SIGINT', process.stdin.isTTY ? () => {} : forward);
  process.on('SIGTERM', forward).on('SIGHUP', forward);
  const code = await exitOf(child);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal);
  if (code !== 0) process.exit(code);
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<number>} */
function exitOf(child) {
  return new Promise((resolve) => {
    child.on('error', (error) => fail(`cannot run ${child.spawnfile}: ${error.message}`));
    child.on('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

function installSystemPackages() {
  const missing = Object.entries(systemPackages).filter(([command]) => !onPath(command));
  if (missing.length === 0 || process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return;
  const names = missing.map(([, name]) => name);
  process.stderr.write(`Installing system packages: ${names.join(', ')}\n`);
  const options = {
    stdio: /** @type {const} */ ('inherit'),
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  spawnSync('apt-get', ['-q', 'update'], options);
  withoutDaemons(() => spawnSync('apt-get', ['-qy', 'install', '--no-install-recommends', ...names], options));
}

/** Forbids packages to start their daemons meanwhile, unless the machine has a rule of its own. @param {() => void} install */
function withoutDaemons(install) {
  // https://people.debian.org/~hmh/invokerc.d-policyrc.d-specification.txt: 101 is "forbidden".
  const policy = '/usr/sbin/policy-rc.d';
  const owned = !existsSync(policy);
  if (owned) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    install();
  } finally {
    if (owned) rmSync(policy);
  }
}

/** @param {string} command */
function onPath(command) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)));
}

/** @param {string} problem @returns {never} */
function fail(problem) {
  process.stderr.write(`seenby: ${problem}\n`);
  process.exit(1);
}
