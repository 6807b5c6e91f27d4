/** The example of README.md prints what it states, with the curl of this machine. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { wrapSimulation } from '../../src/edges/simulated.ts';
import { isInstalled } from '../acceptance/proxies.ts';
import { startNode } from '../node-service.ts';
import { projectFolder } from '../source-files.ts';

const readme = readFileSync(join(projectFolder, 'README.md'), 'utf8');
const [, command = '', output = ''] = /```console\n\$ (.*(?:\n {4}.*)*)\n([\s\S]*?)```/.exec(readme) ?? [];

/** Fingerprints, which depend on the version of curl: each run of letters and digits as one character. */
const withoutVersions = (text: string): string =>
  text.replaceAll(/^(?:ja4|akamai.text): .*$/gm, (line) => line.replaceAll(/(?<=[ _;:|,])\w+/g, '1'));

test('the example prints what it states', {
  skip: !isInstalled('curl') && 'curl is not on this machine',
}, async (context) => {
  const service = await startNode({ tlsPort: 0 }, {}, undefined, wrapSimulation);
  context.after(() => service.close());
  const { port } = new URL(service.https ?? '');
  const { stdout } = await promisify(execFile)('bash', ['-c', command.replaceAll('8443', port)]);
  assert.notEqual(output, '');
  assert.equal(withoutVersions(stdout), withoutVersions(output));
});
