/** The checks that run no test: the compiler for each kind of runtime, and lint with format. */
import { print } from './print.ts';
import { startProcess } from './processes.ts';
import type { Part } from './results.ts';

/** Configurations of the compiler. Many files belong to several of them. */
export const compilerProjects = [
  '.',
  'src/tsconfig.pure.json',
  'src/tsconfig.web.json',
  'src/http/page/browser',
  'src/edges/cloudflare',
] as const;

/** Errors that were printed: the same one occurs in several configurations. */
const printed = new Set<string>();

export async function checkTypes(part: Part, project: string): Promise<void> {
  // What the compiler found in files that have not changed since is read from here: a quarter of the time.
  const results = `test-output/types/${project.replace(/\W+/g, '-')}.tsbuildinfo`;
  const kept = ['--incremental', '--tsBuildInfoFile', results];
  // Each of several checkers finds the types again that they share: with its usual four, the compiler takes more CPU time, for a small
  // project with large dependencies twice as much.
  const options = ['--pretty', 'false', '--checkers', '1'];
  const { code, output } = await startProcess(['tsc', ...options, ...kept, '-p', project]).ended;
  const errors = typeErrorsOf(output);
  for (const { key, text } of errors) {
    if (printed.has(key)) continue;
    printed.add(key);
    part.failed += 1;
    print(text);
  }
  if (code !== 0 && errors.length === 0) part.problem = fail(`tsc -p ${project}`, code, output);
}

/** Splits the output of the compiler; the key of an error is its place and its code. */
export function typeErrorsOf(output: string): { readonly key: string; readonly text: string }[] {
  const errors: { key: string; text: string }[] = [];
  for (const line of output.split('\n')) {
    const key = /^(?:.+\(\d+,\d+\): )?error TS\d+/.exec(line)?.[0];
    const last = errors.at(-1);
    if (key !== undefined) errors.push({ key, text: line });
    else if (last !== undefined && /^\s+\S/.test(line)) last.text += `\n${line}`;
  }
  return errors;
}

export async function lint(part: Part): Promise<void> {
  const { code, output } = await startProcess(['biome', 'ci', '--error-on-warnings', '--colors=off']).ended;
  if (code === 0) return;
  part.failed += lintErrorsOf(output);
  if (part.failed === 0) part.problem = fail('biome', code, output);
  else print(`${output.trim()}\n\nnpm run format fixes format, and some errors of lint.`);
}

/** Number of errors and warnings in the last lines of biome. */
export const lintErrorsOf = (output: string): number =>
  [...output.matchAll(/^Found (\d+) (?:error|warning)s?\.$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);

function fail(command: string, code: number | string, output: string): string {
  print(`${command} ended with ${code}:\n${output.trim()}`);
  return `${command} ended with ${code}`;
}
