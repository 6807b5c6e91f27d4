/** The checks report each failure once with the command that repeats it, and leave out nothing silently. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { inRoot, root } from '../../setup/project.mjs';
import { until } from '../until.ts';

const folder = mkdtempSync(join(tmpdir(), 'seenby-checks-'));
after(() => rmSync(folder, { recursive: true }));

const passing = "import { test } from 'node:test';\ntest('passes', () => {});\n";
const configurations = ['src', 'src/http/page/browser', 'src/edges/cloudflare'];

/** A small project with the checks, the compiler and the linter of this one. */
function projectAt(name: string, files: Readonly<Record<string, string>>): string {
  const project = join(folder, name);
  for (const path of configurations) mkdirSync(join(project, path), { recursive: true });
  for (const path of ['setup', 'test/static.test.ts', 'tsconfig.json', 'package.json'])
    cpSync(inRoot(path), join(project, path), { recursive: true });
  symlinkSync(inRoot('node_modules'), join(project, 'node_modules'));
  writeFileSync(join(project, 'biome.json'), '{ "files": { "includes": ["src/core/*.ts"] } }\n');
  const { pure, web } = { pure: 'src/tsconfig.pure.json', web: 'src/tsconfig.web.json' };
  for (const path of [pure, web, ...configurations.slice(1).map((each) => `${each}/tsconfig.json`)])
    writeFileSync(
      join(project, path),
      JSON.stringify({
        extends: inRoot('tsconfig.json'),
        // The types of Node take most of the time of the compiler, and no file here needs them.
        compilerOptions: { types: [], tsBuildInfoFile: join(project, `${path}.tsbuildinfo`) },
        include: [join(project, 'src')],
      }),
    );
  for (const [path, text] of Object.entries({ 'src/core/a.ts': 'export const a = 1;\n', ...files })) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  return project;
}

function startChecks(project: string, args: readonly string[], changed: NodeJS.ProcessEnv = {}) {
  const path = [dirname(process.execPath), inRoot('node_modules', '.bin'), process.env.PATH].join(delimiter);
  const child = spawn(process.execPath, [join(project, 'setup', 'checks', 'run.ts'), ...args], {
    env: { ...process.env, PATH: path, CI: '', NODE_TEST_CONTEXT: undefined, ...changed },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      printed.text += chunk;
    });
  return { child, printed };
}

async function runChecks(project: string, args: readonly string[], changed: NodeJS.ProcessEnv = {}) {
  const { child, printed } = startChecks(project, args, changed);
  const [code] = await once(child, 'close');
  return { code, text: printed.text, lines: printed.text.trimEnd().split('\n') };
}

const countOf = (text: string, part: string): number => text.split(part).length - 1;

test('a tree without failures prints a line for each part, with the compiler and the linter among the tests', async () => {
  const project = projectAt('passing', {
    'test/core/one.test.ts': passing,
    'test/core/two.test.ts': passing,
    'test/edges/three.test.ts': passing,
  });
  const { code, text, lines } = await runChecks(project, ['check']);
  assert.equal(code, 0, text);
  assert.match(lines.at(-2) ?? '', /^tests: 5 passed, 0 failed, 0 skipped \(/);
  assert.equal(lines.at(-1), '5 passed, 0 failed, 0 skipped');
});

test('every kind of failure is printed once, and no part hides another', async () => {
  const project = projectAt('failing', {
    'src/core/a.ts': 'export const a: number = true;\n',
    'src/core/b.ts': 'export const b = 1\n',
    'test/core/fails.test.ts': `${passing}import assert from 'node:assert/strict';
test('outer', async (t) => { await t.test('inner', () => assert.equal(1, 2)); });\n`,
    'test/core/passes.test.ts': passing,
    'test/core/syntax.test.ts': 'const a = ;\n',
    'test/edges/crashes.test.ts': `${passing}test('exits', () => process.exit(3));\n`,
    'test/edges/throws.test.ts': "throw new Error('at the start');\n",
  });
  const { code, text, lines } = await runChecks(project, ['check']);
  assert.equal(code, 1);
  assert.equal(countOf(text, 'error TS2322'), 1, text);
  assert.match(text, /src\/core\/b\.ts format/);
  assert.equal(countOf(text, 'test/core/fails.test.ts:4 › outer › inner'), 1, text);
  for (const name of ['core/fails', 'core/syntax', 'edges/crashes', 'edges/throws'])
    assert.equal(countOf(text, `  npm test -- test/${name}.test.ts\n`), 1, text);
  assert.match(text, /^✖ test\/edges\/crashes\.test\.ts:1 › its process failed$/m, text);
  assert.match(text, /^✖ test\/core\/syntax\.test\.ts:1 › its process failed$/m, text);

  assert.ok(!/node:internal|setup\/checks/.test(text), text);
  assert.match(text, /^tests: [23] passed, 6 failed, 0 skipped \(/m);
  assert.match(lines.at(-1) ?? '', /^[23] passed, 6 failed, 0 skipped$/);
});

test('a compiler or linter that cannot run is not reported as passed', async () => {
  const project = projectAt('without-linter', { 'test/core/one.test.ts': passing });
  const { code, text } = await runChecks(project, ['check'], { PATH: dirname(process.execPath) });
  assert.equal(code, 1);
  assert.match(text, /^tests: 1 passed, 2 failed/m);
});

test('a skipped test is listed, and fails in CI unless it says with what it runs', async () => {
  const project = projectAt('skipped', {
    'test/core/skips.test.ts': `${passing}test('a', { skip: 'needs the command x' }, () => {});
test('b', { skip: 'only in npm run test:all' }, () => {});\n`,
  });
  const quiet = await runChecks(project, ['test', 'test/core/skips.test.ts']);
  assert.equal(quiet.code, 0, quiet.text);
  assert.match(quiet.text, /^ {2}test\/core\/skips\.test\.ts › a: needs the command x$/m);
  assert.match(quiet.text, /^1 passed, 0 failed, 2 skipped$/m);
  const inCi = await runChecks(project, ['test', 'test/core/skips.test.ts'], { CI: 'true' });
  assert.equal(inCi.code, 1);
  assert.match(inCi.text, /› a\n {2}skipped in CI: needs the command x\n/);
  assert.match(inCi.text, /^1 passed, 1 failed, 1 skipped$/m);
});

test('a signal ends the test processes, and the result says what did not run', {
  skip: process.platform === 'win32',
}, async () => {
  const started = join(folder, 'started');
  const waits = `import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
test('waits', async () => {
  writeFileSync(${JSON.stringify(started)}, String(process.pid));
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});\n`;
  const names = Array.from({ length: 40 }, (_, at) => `test/service/waits-${at}.test.ts`);
  const project = projectAt('interrupted', Object.fromEntries(names.map((name) => [name, waits])));
  const { child, printed } = startChecks(project, ['test']);
  const ended = once(child, 'close');
  // The file exists before its content.
  await until(() => {
    assert.equal(child.exitCode, null, printed.text);
    return existsSync(started) && readFileSync(started, 'utf8');
  });
  child.kill('SIGINT');
  assert.equal((await ended)[0], 130, printed.text);
  assert.match(printed.text, /^tests: .*; not all of them ran/m);
  const pid = readFileSync(started, 'utf8');
  assert.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' });
});

test('rejects an unknown option or file, with the usage', async () => {
  for (const arg of ['--help', '--foo=1', 'test/core/nothing.test.ts']) {
    const { code, lines } = await runChecks(root, ['check', arg]);
    assert.deepEqual([code, lines[0]], [2, `npm run check: unknown option or test file in ${arg}`]);
    assert.match(lines[1] ?? '', /^Usage: npm run check -- /);
  }
});

test('a file of the second tier that fails runs once more, alone: what passes then is named, what fails again fails', async () => {
  const project = projectAt('repeated', {
    'test/core/by-chance.heavy.test.ts': `${passing}import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
const isSecond = existsSync('ran');
writeFileSync('ran', '');
test('by chance', () => assert.ok(isSecond, 'not yet'));\n`,
  });
  const run = await runChecks(project, ['test:heavy']);
  assert.equal(run.code, 0, run.text);
  assert.match(run.text, /^passed in a second run: test\/core\/by-chance\.heavy\.test\.ts › by chance: .*not yet/m);
  assert.match(run.text, /^heavy tests: 1 passed, 0 failed/m);
  writeFileSync(
    join(project, 'test/core/always.heavy.test.ts'),
    "import { test } from 'node:test';\ntest('no', () => { throw new Error('no'); });\n",
  );
  const failing = await runChecks(project, ['test:heavy']);
  assert.equal(failing.code, 1, failing.text);
  assert.match(failing.text, /^heavy tests: 2 passed, 1 failed/m);
});

test('a process that a test keeps alive ends, and says what is active', async () => {
  const limit = `--import=${new URL('../../setup/checks/process-limit.ts?100', import.meta.url)}`;
  const child = spawn(process.execPath, [limit, '-e', 'setInterval(() => {}, 1000)'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.on('data', (chunk) => {
    text += chunk;
  });
  assert.deepEqual(await once(child, 'close'), [1, null]);
  assert.match(text, /not ended after 100 ms; still active: .*Timeout/);
});

test('every test file belongs to a tier, and the quick check to the first', async () => {
  const { testFiles, tierOf } = await import('../../setup/checks/test-files.ts');
  const tiers = Map.groupBy(testFiles(), tierOf);
  assert.deepEqual([...tiers.keys()].toSorted(), ['check', 'heavy', 'test']);
  for (const [tier, files] of Object.entries({
    check: ['test/core/text.test.ts', 'test/http/app.test.ts'],
    test: ['test/acceptance/node.test.ts', 'test/service/mcp-conformance.test.ts'],
    heavy: ['test/browser/pages.test.ts', 'test/internet/dns.test.ts', 'test/http/app-cost.heavy.test.ts'],
  }))
    for (const file of files) assert.ok(tiers.get(tier as 'check')?.includes(file), file);
});
