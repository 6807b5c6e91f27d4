/** The checks that run no test: the compiler for each kind of runtime, and lint with format. */
import { execFile } from 'node:child_process';
import { root } from '../project.mjs';

/** Configurations of the compiler. Many files belong to several of them. */
const compilerProjects = [
  '.',
  'src/tsconfig.pure.json',
  'src/tsconfig.web.json',
  'src/http/page/browser',
  'src/edges/cloudflare',
];

/** Returns the errors, each once although several configurations find it. */
export async function checkTypes(signal: AbortSignal): Promise<string[]> {
  const outputs = [];
  // One after another, beside the linter: the compiler uses several processors itself.
  for (const project of compilerProjects) {
    // What the compiler found in files that have not changed since is read from here: a quarter of the time.
    const results = `test-output/types/${project.replace(/\W+/g, '-')}.tsbuildinfo`;
    const options = ['--pretty', 'false', '--incremental', '--tsBuildInfoFile', results, '-p', project];
    outputs.push(await outputOf('tsc', options, signal));
  }
  // The lines of an error that follow its first one are indented.
  return [
    ...new Set(
      outputs
        .join('')
        .split(/\n(?!\s)/)
        .filter((text) => text !== ''),
    ),
  ];
}

/** Returns the output of the linter if it found errors. */
export async function lint(signal: AbortSignal): Promise<string[]> {
  const output = await outputOf('biome', ['ci', '--error-on-warnings', '--colors=off'], signal);
  return output === '' ? [] : [`${output.trim()}\nnpm run format fixes format, and some errors of lint.`];
}

/** Returns what a command that fails prints; '' if it succeeds. */
const outputOf = (command: string, args: readonly string[], signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    // The names of programs of npm packages end with .cmd on Windows.
    const options = { cwd: root, signal, maxBuffer: 2 ** 26, shell: process.platform === 'win32' };
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) resolve('');
      else resolve(`${stdout}${stderr}`.trim() === '' ? `${command}: ${error.message}\n` : `${stdout}${stderr}`);
    });
  });
