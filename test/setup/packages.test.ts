/** The setup installs what npm's record lacks, once, and recovers from interruptions. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '../until.ts';
import { startRegistry } from './registry.ts';

const folder = mkdtempSync(join(tmpdir(), 'seenby-setup-'));
const registry = await startRegistry(folder, [
  ['served', '1.0.0'],
  ['served', '2.0.0'],
  ['tested', '1.0.0'],
]);
after(() => {
  registry.close();
  rmSync(folder, { recursive: true });
});

const environment = {
  PATH: process.env.PATH,
  HOME: folder,
  npm_config_cache: join(folder, 'cache'),
  npm_config_registry: registry.url,
  npm_config_update_notifier: 'false',
};

/** A project with the setup of this one, a package to serve and one for tests. */
function projectAt(name: string, servedVersion = '1.0.0'): string {
  const root = join(folder, name);
  mkdirSync(join(root, 'src', 'cli'), { recursive: true });
  const source = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
  for (const path of ['setup', 'setup.mjs', 'src/cli/compile-cache.mjs', 'src/cli/first-signals.mjs'])
    cpSync(source(path), join(root, path), { recursive: true });
  const program = "export const run = (_args, { dataFolder }) => console.log('started, data in', dataFolder);\n";
  writeFileSync(join(root, 'src', 'cli', 'run.ts'), program);
  const manifest = {
    name: 'project',
    type: 'module',
    version: '1.0.0',
    dependencies: { served: servedVersion },
    devDependencies: { tested: '1.0.0' },
    optionalDependencies: { 'node-for-no-platform': '20.0.0' },
  };
  const entry = (name: string, version: string) => ({ version, integrity: registry.integrityOf(name, version) });
  const packages = {
    '': manifest,
    'node_modules/served': entry('served', servedVersion),
    'node_modules/tested': { ...entry('tested', '1.0.0'), dev: true },
    'node_modules/node-for-no-platform': { version: '20.0.0', optional: true, os: ['none'], cpu: ['none'] },
  };
  writeFileSync(join(root, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ ...manifest, lockfileVersion: 3, packages }));
  return root;
}

/** What the command line of the project prints: it stores its data in the project, wherever it is called from. */
const startedIn = (root: string): string => `started, data in ${join(root, 'data')}\n`;

function startSetup(root: string, args: readonly string[] = []) {
  const command = [join(root, 'setup.mjs'), 'start', '--port=0', ...(args.length > 0 ? args : ['--tls-port', 'off'])];
  const child = spawn(process.execPath, command, { cwd: tmpdir(), env: environment });
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    output.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.err += chunk;
  });
  return { child, output };
}

async function runSetup(root: string, args: readonly string[] = []) {
  const { child, output } = startSetup(root, args);
  const [code] = await once(child, 'close');
  return { code, ...output };
}

const versionOf = (root: string, name: string): string | null => {
  const file = join(root, 'node_modules', name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : null;
};

async function npm(root: string, ...args: string[]): Promise<void> {
  const child = spawn('npm', args, { cwd: root, env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
  assert.equal((await once(child, 'close'))[0], 0);
}

/** Waits for one more request to the registry. */
const nextDownload = (child: ChildProcess, count: number): Promise<boolean> =>
  until(() => {
    assert.equal(child.exitCode, null, 'the setup ended before it downloaded');
    return registry.downloads.length > count;
  });

test('installs into an empty folder without development packages, and only once', async () => {
  const root = projectAt('empty');
  const first = await runSetup(root);
  assert.deepEqual([first.code, first.out], [0, startedIn(root)], first.err);
  assert.match(first.err, /^Installing packages/);
  assert.deepEqual([versionOf(root, 'served'), versionOf(root, 'tested')], ['1.0.0', null]);
  assert.deepEqual(await runSetup(root), { code: 0, out: startedIn(root), err: '' });
});

test('checks the ports before it installs, for a start only', async () => {
  const root = projectAt('ports');
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const taken = ['--host', '127.0.0.1', `--tls-port=${port}`];
  const before = registry.downloads.length;
  assert.deepEqual(await runSetup(root, taken), {
    code: 1,
    out: '',
    err: `seenby: TLS_PORT: port ${port} is in use; choose another with --tls-port\n`,
  });
  assert.equal(registry.downloads.length, before);
  for (const command of [['ip', '8.8.8.8'], ['--help'], ['-h'], ['--version']])
    assert.equal((await runSetup(root, [...taken, ...command])).code, 0, `${command}`);
  other.close();
});

test('installs nothing after npm ci', async () => {
  const root = projectAt('ci');
  await npm(root, 'ci');
  const before = registry.downloads.length;
  assert.deepEqual(await runSetup(root), { code: 0, out: startedIn(root), err: '' });
  assert.deepEqual([versionOf(root, 'tested'), registry.downloads.length], ['1.0.0', before]);
});

test('installs what changed in the lock file, keeps development packages and the lock file', async () => {
  const root = projectAt('changed');
  await npm(root, 'ci');
  projectAt('changed', '2.0.0');
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const { code, err } = await runSetup(root);
  assert.equal(code, 0, err);
  assert.match(err, /^Updating packages \(1 missing or changed\)/);
  assert.deepEqual([versionOf(root, 'served'), versionOf(root, 'tested')], ['2.0.0', '1.0.0']);
  assert.equal(readFileSync(join(root, 'package-lock.json'), 'utf8'), lock);
  assert.deepEqual(await runSetup(root), { code: 0, out: startedIn(root), err: '' });
});

test('changes nothing behind a linked node_modules', async () => {
  const root = projectAt('linked');
  const shared = join(projectAt('shared'), 'node_modules');
  await npm(join(folder, 'shared'), 'ci');
  symlinkSync(shared, join(root, 'node_modules'));
  projectAt('linked', '2.0.0');
  const { code, err } = await runSetup(root);
  assert.deepEqual(
    [code, err],
    [0, 'node_modules is a link, so nothing is installed; packages of package-lock.json missing there: 1\n'],
  );
  assert.equal(versionOf(root, 'served'), '1.0.0');
  assert.ok(existsSync(join(shared, '.package-lock.json')));
});

test('keeps what is installed if an update fails', async () => {
  const root = projectAt('offline');
  await npm(root, 'ci');
  projectAt('offline', '3.0.0');
  const { code, err } = await runSetup(root);
  assert.equal(code, 1);
  assert.match(err, /npm install failed with exit code 1/);
  assert.deepEqual([versionOf(root, 'served'), versionOf(root, 'tested')], ['1.0.0', '1.0.0']);
  projectAt('offline', '1.0.0');
  assert.deepEqual(await runSetup(root), { code: 0, out: startedIn(root), err: '' });
});

test('stops npm on SIGTERM, and the next start repeats the installation', {
  skip: process.platform === 'win32',
}, async () => {
  const root = projectAt('stopped');
  environment.npm_config_cache = join(folder, 'empty-cache');
  registry.hold();
  const before = registry.downloads.length;
  const { child, output } = startSetup(root);
  await nextDownload(child, before);
  child.kill('SIGTERM');
  const [code] = await once(child, 'close');
  registry.release();
  assert.equal(code, 0);
  assert.match(output.err, /installation interrupted/);
  const processes = spawnSync('ps', ['-eo', 'args']).stdout.toString();
  assert.ok(!processes.includes(registry.url) && !processes.includes(root));
  assert.equal(existsSync(join(root, '.install.lock')), false);
  const again = await runSetup(root);
  assert.deepEqual([again.code, versionOf(root, 'served')], [0, '1.0.0'], again.err);
});

test('repairs an installation that was killed', async () => {
  const root = projectAt('killed');
  await npm(root, 'ci');
  rmSync(join(root, 'node_modules', '.package-lock.json'));
  writeFileSync(join(root, 'node_modules', 'served', 'package.json'), '{"vers');
  writeFileSync(join(root, '.install.lock'), String(spawnSync('true').pid));
  const { code, err } = await runSetup(root);
  assert.deepEqual([code, versionOf(root, 'served')], [0, '1.0.0'], err);
});

test('a parallel start waits for the installation, and both serve', async () => {
  const root = projectAt('parallel');
  environment.npm_config_cache = join(folder, 'other-empty-cache');
  registry.hold();
  const before = registry.downloads.length;
  const first = startSetup(root);
  await nextDownload(first.child, before);
  const second = startSetup(root);
  await until(() => second.output.err.includes('Waiting'));
  registry.release();
  await Promise.all([once(first.child, 'close'), once(second.child, 'close')]);
  assert.deepEqual([first.child.exitCode, first.output.out], [0, startedIn(root)], first.output.err);
  assert.deepEqual([second.child.exitCode, second.output.out], [0, startedIn(root)], second.output.err);
  assert.match(second.output.err, new RegExp(`^Waiting for another installation \\(process ${first.child.pid}\\)`));
  assert.equal(registry.downloads.length, before + 1);
});
