/**
 * Samples mutants: changes one operator, constant or branch at a time, runs the file's own test, then those of its folder, and prints who
 * survives. `node tools/mutants.ts [samples] [seed] [first] [minutes]` with the Node of node_modules; not part of `npm test`. `first` continues
 * a run of the same seed: the last line states it, also if the minutes end earlier. It works on a copy of the project, never on the project.
 * Tests that fail without a mutant kill none: they are named and left out.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders =
  'core client traits resources dialects wire mcp http/page cli/layouts ingress/http3/qpack.ts ingress/http3/frames.ts';
const samples = Number(process.argv[2] ?? 300);
const first = Number(process.argv[4] ?? 0);
const maxMinutes = Number(process.argv[5] ?? 20);
/** A mutant may take so many times as long as the original, and this long besides: it may never end. */
const slower = 5;
const graceMs = 5_000;

/** What a pattern becomes; each has spaces around it, so that types and texts rarely match. */
const changes: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/(?<=[( ])1(?=[;,) ])/g, '2'],
  [/(?<=[( ])0(?=[;,) ])/g, '1'],
  [/\bif \((?=[^;]*\) )/g, 'if (!true && '],
];

interface Mutant {
  readonly file: string;
  readonly at: number;
  readonly length: number;
  readonly replacement: string;
}

/** A linear congruential generator (Numerical Recipes): the same samples for the same seed. */
function createDraw(seed: number): (count: number) => number {
  let state = seed >>> 0;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

function mutantsOf(file: string): Mutant[] {
  // Comments keep their length, and are not changed.
  const code = readFileSync(join(root, file), 'utf8').replaceAll(
    /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*|^import .*$/gm,
    (comment) => '#'.repeat(comment.length),
  );
  return changes.flatMap(([pattern, replacement]) =>
    [...code.matchAll(pattern)].map(({ index, 0: found }) => ({ file, at: index, length: found.length, replacement })),
  );
}

/** The tests of a file, then those of its folder. */
function testsOf(file: string): readonly (readonly string[])[] {
  const folder = dirname(file).replace(/^src/, 'test');
  const own = basename(file, '.ts');
  const tests = globSync(`${folder}/*.test.ts`, { cwd: root });
  const named = tests.filter((test) => basename(test).startsWith(own));
  return [named, tests.length > 0 ? tests : globSync(`${dirname(folder)}/**/*.test.ts`, { cwd: root })];
}

const copy = mkdtempSync(join(tmpdir(), 'seenby-mutants-'));
for (const part of readdirSync(root).filter((name) => !['.git', 'node_modules', 'test-output'].includes(name)))
  cpSync(join(root, part), join(copy, part), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

const options = ['--disable-warning=ExperimentalWarning', '--test', '--test-isolation=none', '--test-reporter=tap'];

/** Whether they pass; ends them at the first failure, because a mutant can make those after it wait. */
async function runTests(tests: readonly string[], timeout?: number): Promise<boolean> {
  // Without a file, Node would run every test that it finds.
  if (tests.length === 0) return true;
  const child = spawn(process.execPath, [...options, ...tests], {
    cwd: copy,
    timeout,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) if (/^ *not ok /.test(line)) child.kill('SIGKILL');
  const [code] = await ended;
  return code === 0;
}

interface Original {
  /** Tests that pass in one process. */
  readonly tests: readonly string[];
  readonly durationMs: number;
}

const originals = new Map<string, Original>();

/** Runs tests without a mutant, once. */
async function originalOf(tests: readonly string[]): Promise<Original> {
  const key = tests.join();
  const known = originals.get(key);
  if (known !== undefined) return known;
  const startMs = performance.now();
  let passing = tests;
  if (!(await runTests(tests))) {
    passing = [];
    for (const test of tests) {
      if (await runTests([test])) passing = [...passing, test];
      else console.log(`fails without a mutant, left out: ${test}`);
    }
  }
  const durationMs = performance.now() - startMs;
  const original = { tests: passing, durationMs };
  originals.set(key, original);
  return original;
}

/** Whether the tests of a file do not notice that the copy has this text in its place. */
async function survives(file: string, text: string, mutated: string): Promise<boolean> {
  for (const named of testsOf(file)) {
    const { tests, durationMs } = await originalOf(named);
    writeFileSync(join(copy, file), mutated);
    const isUnnoticed = await runTests(tests, Math.ceil(slower * durationMs) + graceMs);
    writeFileSync(join(copy, file), text);
    if (!isUnnoticed) return false;
  }
  return true;
}

const isMutated = (file: string): boolean => !/\/(?:data|generated|browser)\//.test(file);
const files = folders
  .split(' ')
  .flatMap((folder) => globSync(folder.endsWith('.ts') ? `src/${folder}` : `src/${folder}/**/*.ts`, { cwd: root }))
  .filter(isMutated)
  .toSorted();
const all = files.flatMap(mutantsOf);
const draw = createDraw(Number(process.argv[3] ?? 46));
const endMs = Date.now() + maxMinutes * 60_000;
for (let skipped = 0; skipped < first; skipped += 1) draw(all.length);
let tried = 0;
let survived = 0;
while (tried < samples && Date.now() < endMs) {
  const { file, at, length, replacement } = all[draw(all.length)] as Mutant;
  const text = readFileSync(join(root, file), 'utf8');
  const mutated = text.slice(0, at) + replacement + text.slice(at + length);
  tried += 1;
  if (await survives(file, text, mutated)) {
    survived += 1;
    const line = text.slice(0, at).split('\n').length;
    console.log(`survived: ${file}:${line}: "${text.slice(at, at + length)}" as "${replacement}"`);
  }
}
rmSync(copy, { recursive: true });
console.log(`${tried - survived} of ${tried} mutants killed, of ${all.length}; the next is number ${first + tried}`);
