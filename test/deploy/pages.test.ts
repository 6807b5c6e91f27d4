/** Every block of code in the pages is run, or parsed by the program that it is for. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { readSettings, settingNames, variableOf } from '../../src/core/settings.ts';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { libraryExamples, lightExamples } from '../library-examples.ts';
import { skipWithoutNamespaces } from '../network-namespace.ts';
import { until } from '../until.ts';
import { type Block, blocks, root } from './blocks.ts';
import { assertComposeFile } from './compose-schema.ts';
import { type RecordedCommand, runShell } from './shell.ts';

const folder = mkdtempSync(join(tmpdir(), 'seenby-pages-'));
after(() => rmSync(folder, { recursive: true }));

const { cert, key } = await createLocalhostCertificate();

function put(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** Runs a program that accepts its input with code 0. */
function accept(program: string, ...args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: 60_000 });
  assert.equal(status, 0, error?.message ?? `${stdout}${stderr}`);
}

put('ca.pem', cert);

const isMissing = (program: string): boolean => spawnSync(program, ['--help']).error !== undefined;
const lacks = (program: string): string | false => (isMissing(program) && !process.env.CI ? `needs ${program}` : false);

const variables = new Set(settingNames.map(variableOf));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Variables of Node and of other programs in the pages. */
const otherVariables = new Set(['TOKEN']);

function checkShell({ text, language }: Pick<Block, 'text' | 'language'>): void {
  const script = language === 'console' ? [...text.matchAll(/^\$ (.*)$/gm)].map(([, line]) => line).join('\n') : text;
  for (const command of runShell(script)) checkCommand(command);
}

/** Checks a command that was not run: settings, scripts and files have to exist, and the service's own must understand its arguments. */
function checkCommand({ words, variables: given }: RecordedCommand): void {
  const environment = { ...given, ...environmentOf(words) };
  const unknown = Object.keys(environment).filter((name) => !variables.has(name) && !otherVariables.has(name));
  assert.deepEqual(unknown, [], words.join(' '));
  if (words[0] === 'npm' && words[1] === 'run') assert.ok(Object.hasOwn(scripts, words[2] ?? ''), words.join(' '));
  for (const word of words)
    if (/^(?:docs|deploy|src|tools)\//.test(word)) assert.ok(existsSync(join(root, word)), word);
  const args = argumentsOf(words);
  if (args === null) {
    const settings = readSettings({}, environment);
    // A part of the settings, which need others.
    if ('problem' in settings) assert.match(settings.problem, /: (?:set|requires) /, settings.problem);
    return;
  }
  const { status, stderr } = spawnSync(
    'unshare',
    [
      '--net',
      '--map-root-user',
      process.execPath,
      '--disable-warning=ExperimentalWarning',
      join(root, 'src/cli/seenby.ts'),
      ...args,
    ],
    {
      cwd: folder,
      encoding: 'utf8',
      input: '',
      env: { PATH: process.env.PATH, HOME: folder, DATA_DIR: folder, GEOIP_ASN: join(root, 'none'), ...environment },
      timeout: 30_000,
    },
  );
  assert.notEqual(status, 2, stderr);
}

/** Variables of a container. */
function environmentOf(words: readonly string[]): Record<string, string> {
  if (words[0] !== 'docker') return {};
  const values = words.filter((_, at) => words[at - 1] === '-e');
  return Object.fromEntries(values.map((value) => value.split('=', 2)));
}

/** Arguments of the service's own command line; null for any other command. */
function argumentsOf(words: readonly string[]): readonly string[] | null {
  if (basename(words[0] ?? '') === 'seenby') return words.slice(1);
  if (words[0] === 'npx' && words.includes('seenby')) return words.slice(words.indexOf('seenby') + 1);
  if (words[0] === 'npm' && words[1] === 'start') return words.slice(2).filter((word) => word !== '--');
  return null;
}

function checkYaml({ text }: Block): void {
  for (const document of parseAllDocuments(text, { strict: true, uniqueKeys: true })) {
    assert.deepEqual([document.errors, document.warnings], [[], []]);
    const content = document.toJS();
    if ('scrape_configs' in content) checkPrometheus(text);
    else if ('services' in content) assertComposeFile(text);
    else for (const script of scriptsOf(content)) checkShell({ text: script, language: 'sh' });
  }
}

function checkPrometheus(text: string): void {
  cpSync(join(root, 'docs/deploy/alerts.yml'), join(folder, 'alerts.yml'));
  accept('promtool', 'check', 'config', put('prometheus.yml', text));
}

/** The commands of a job for GitHub Actions or GitLab CI/CD. */
function scriptsOf(content: object): readonly string[] {
  const { jobs } = content as { readonly jobs?: object };
  const found = Object.values(jobs ?? content).flatMap(({ steps, script }) =>
    jobs === undefined ? script : steps.flatMap(({ run }: { readonly run?: string }) => run ?? []),
  );
  assert.ok(found.length > 0, 'a kind of YAML that no program checks');
  return found;
}

/** A part of a unit that `systemctl edit` adds to the project's. */
function checkUnit({ text }: Block): void {
  const unit = readFileSync(join(root, 'docs/deploy/seenby.service'), 'utf8');
  const verify = (): string => {
    const { stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    return stderr;
  };
  const file = put('seenby.service', unit.replace('/usr/bin/node /opt/', `${process.execPath} /opt/`));
  const before = verify();
  mkdirSync(`${file}.d`, { recursive: true });
  const part = put('seenby.service.d/override.conf', text);
  assert.equal(verify(), before);
  rmSync(part);
}

/** Lines of a backend, which go into the sections of the project's files that have servers of the service. */
function checkHaproxy({ text }: Block): void {
  const [section, ...lines] = text.trimEnd().split('\n');
  assert.equal(section, 'backend seenby');
  const pem = put('seenby.pem', `${key}${cert}`);
  for (const name of ['haproxy.cfg', 'haproxy-tcp.cfg']) {
    const file = readFileSync(join(root, 'docs/deploy', name), 'utf8').replace('/etc/haproxy/seenby.pem', pem);
    accept('haproxy', '-c', '-f', put(name, file.replaceAll(/^ +server seenby .*$/gm, `${lines.join('\n')}\n$&`)));
  }
}

/** The server starts with this configuration, at its address. The user that it has may use the service's keys, and nothing else. */
async function checkStore({ text }: Block): Promise<void> {
  const socket = join(folder, 'redis');
  for (const [name, content] of Object.entries({ certificate: cert, key, ca: cert })) put(`${name}.pem`, content);
  const file = put('redis.conf', text.replaceAll('/etc/redis/', `${folder}/`));
  const start = 'ip link set lo up && ip addr add 10.0.0.5/32 dev lo && exec redis-server "$@"';
  const args = [file, '--unixsocket', socket, '--dir', folder];
  const server = spawn('unshare', ['--net', '--map-root-user', 'sh', '-c', start, 'sh', ...args]);
  const send = (...words: readonly string[]): string =>
    spawnSync('redis-cli', ['-s', socket, ...words], { encoding: 'utf8' }).stdout.trim();
  try {
    await until(() => {
      assert.equal(server.exitCode, null, `${server.stdout.read()}`);
      return existsSync(socket);
    });
    if (!text.includes('user ')) return assert.equal(send('PING'), 'PONG');
    const asUser = ['--no-auth-warning', '--user', 'seenby', '--pass', 'PASSWORD'];
    assert.equal(send(...asUser, 'GET', 'seenby:none'), '');
    assert.match(send(...asUser, 'GET', 'other'), /^NOPERM /);
    assert.match(send('GET', 'seenby:none'), /^NOAUTH /);
  } finally {
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
    rmSync(socket, { force: true });
  }
}

/** A line of the log, from a sentence in the code. */
function checkLine({ text }: Block): void {
  const [beginning = ''] = text.split('(');
  const sources = globSync('src/**/*.ts', { cwd: root });
  assert.ok(sources.some((file) => readFileSync(join(root, file), 'utf8').includes(beginning)));
}

const soa = '@ SOA ns.seenby.example. admin.seenby.example. 1 2 3 4 5\n@ NS ns.seenby.example.\n';

interface Checker {
  readonly check: (block: Block) => void | Promise<void>;
  readonly skip: string | false;
}

const shell: Checker = { check: checkShell, skip: skipWithoutNamespaces('bash', 'curl', 'dig', 'nft') };

const checkers: Readonly<Record<string, Checker>> = {
  sh: shell,
  console: shell,
  yaml: { check: checkYaml, skip: shell.skip || lacks('promtool') },
  json: { check: ({ text }) => void JSON.parse(text), skip: false },
  ini: { check: checkUnit, skip: lacks('systemd-analyze') },
  haproxy: { check: checkHaproxy, skip: lacks('haproxy') },
  conf: { check: checkStore, skip: shell.skip || lacks('redis-server') },
  text: { check: checkLine, skip: false },
  dns: {
    check: ({ text }) => accept('named-checkzone', '-q', 'seenby.example', put('zone', `$TTL 60\n${soa}${text}`)),
    skip: lacks('named-checkzone'),
  },
  js: { check: ({ text }) => accept(process.execPath, '--check', put('example.mjs', text)), skip: false },
  // test/service/library.test.ts and test/package run them.
  ts: {
    check: ({ text }) => assert.ok([...libraryExamples, ...lightExamples].some(({ code }) => code === text)),
    skip: false,
  },
  // The dialect of Cloudflare's Analytics Engine, which has no program to install.
  sql: { check: ({ page }) => assert.equal(page, 'docs/deploy/cloudflare.md'), skip: false },
};

assert.ok(blocks.length > 50);
for (const block of blocks) {
  const { page, line, language } = block;
  const checker = checkers[language];
  test(`${page}:${line}`, { skip: checker?.skip ?? false, timeout: 120_000 }, async () => {
    assert.ok(checker !== undefined, `no program checks a block of "${language}"`);
    await checker.check(block);
  });
}

test('a wrong option, setting, script and key are found', { skip: shell.skip }, () => {
  for (const text of [
    'curl --no-such-option https://seenby.example',
    'nft add table inet seenby extra',
    'if true; then',
    'PORT=x npm start',
    'THREDS=2 npm start',
    'npm start -- --no-such-flag',
    './seenby grade example.com --no-such-flag',
    'npm run no-such-script',
    'docker run -e NO_SUCH=1 seenby',
    'kubectl apply -f docs/none.yaml',
  ])
    assert.throws(() => checkShell({ text, language: 'sh' }), Error, text);
});

test('another test runs each file of docs/deploy', () => {
  const tests = globSync('test/**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
  for (const name of readdirSync(join(root, 'docs/deploy')).filter((each) => !each.endsWith('.md')))
    assert.ok(
      tests.some((text) => text.includes(name)),
      name,
    );
});
