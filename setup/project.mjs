/** Paths of the project and the Node version that it pins. */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const inRoot = (/** @type {string[]} */ ...path) => join(root, ...path);

/** npm packages that contain the pinned Node, one per platform. @type {Record<string, string>} */
export const pinnedNodes = JSON.parse(readFileSync(inRoot('package.json'), 'utf8')).optionalDependencies;
const pinnedVersion = `v${Object.values(pinnedNodes)[0]}`;

/** Path of the pinned Node, or of the current one if no build exists for this platform and it is recent enough. */
export function nodeBinary() {
  const binary = Object.keys(pinnedNodes)
    .flatMap((name) => [inRoot('node_modules', name, 'bin', 'node'), inRoot('node_modules', name, 'bin', 'node.exe')])
    .find((path) => existsSync(path));
  if (binary !== undefined && versionOf(binary) === pinnedVersion) return binary;
  if (Number.parseInt(process.versions.node, 10) >= Number.parseInt(pinnedVersion.slice(1), 10))
    return process.execPath;
  return fail(
    `npm has no Node ${pinnedVersion} for ${process.platform} ${process.arch}; install that version and run this again`,
  );
}

/** Starting a binary only for its version takes as long as a start, so the current one is not started. @param {string} binary */
function versionOf(binary) {
  if (isCurrentNode(binary)) return process.version;
  return spawnSync(binary, ['--version']).stdout?.toString().trim();
}

/** @param {string} binary */
export function isCurrentNode(binary) {
  return realpathSync(binary) === realpathSync(process.execPath);
}

/** @param {string} line */
export function print(line) {
  process.stderr.write(`${line}\n`);
}

/** @param {string} problem @returns {never} */
export function fail(problem) {
  print(`seenby: ${problem}`);
  process.exit(1);
}
