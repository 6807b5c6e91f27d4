/** The compiler and the linter find no error, and each file has its format (`npm run format`). */
import { execFile } from 'node:child_process';
import { suite, test } from 'node:test';
import { root } from '../setup/project.mjs';

/** Of the compiler, for each kind of runtime. Many files belong to several. */
const configurations = [
  '.',
  'src/tsconfig.pure.json',
  'src/tsconfig.web.json',
  'src/http/page/browser',
  'src/edges/cloudflare',
];

/** Fails with what the command prints. */
const assertSucceeds = (command: string, args: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    // The names of programs of npm packages end with .cmd on Windows.
    const options = { cwd: root, maxBuffer: 2 ** 26, shell: process.platform === 'win32' };
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve();
      // Several configurations find the same error. Its lines after the first one are indented.
      const errors = new Set(`${stdout}${stderr}`.trim().split(/\n(?!\s)/));
      reject(new Error([...errors].join('\n') || error.message));
    });
  });

suite('sources', { concurrency: true }, () => {
  test('types', () =>
    // One thread: several check what their files have in common several times, which takes twice the CPU time.
    assertSucceeds('tsc', ['--build', '--incremental', '--singleThreaded', '--pretty', 'false', ...configurations]));

  test('lint and format', () => assertSucceeds('biome', ['ci', '--error-on-warnings', '--colors=off']));
});
