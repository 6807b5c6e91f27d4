/** Installs the locked npm packages if npm's record of the installed ones differs from the lock file. */
import { lstatSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { runChild } from './child.mjs';
import { takeLock } from './lock.mjs';
import { startProgress } from './progress.mjs';
import { fail, inRoot, pinnedNodes, print, root } from './project.mjs';

/**
 * An entry of a lock file: https://docs.npmjs.com/cli/configuring-npm/package-lock-json
 * @typedef {{ version?: string, integrity?: string, dev?: boolean, optional?: boolean, devOptional?: boolean, link?: boolean,
 *   os?: string[], cpu?: string[] }} Entry
 * @typedef {Record<string, Entry>} Entries
 */

/** npm writes it as the last step of an installation: if it is missing, the installation was interrupted. */
const record = inRoot('node_modules', '.package-lock.json');
const setAside = `${record}.before`;

/**
 * @param {boolean} withDevelopment whether development packages are needed too
 * @param {() => Promise<void>} beforeInstall called if packages are missing
 */
export async function installPackages(withDevelopment, beforeInstall) {
  const count = missingPackages(withDevelopment).length;
  if (count === 0) return;
  // npm would replace the link, and this process would change the record of the folder behind it.
  if (lstatSync(inRoot('node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    print(`node_modules is a link, so nothing is installed; packages of package-lock.json missing there: ${count}`);
    return;
  }
  await beforeInstall();
  const release = await takeLock(inRoot('.install.lock'), (pid) =>
    print(`Waiting for another installation (process ${pid}) to finish`),
  );
  const missing = missingPackages(withDevelopment);
  if (missing.length > 0) await install(missing, withDevelopment);
  release();
}

/** Paths of the locked packages that are not installed, or in another version. @param {boolean} withDevelopment */
function missingPackages(withDevelopment) {
  const locked = entriesOf(inRoot('package-lock.json')) ?? fail('package-lock.json is missing or damaged; restore it');
  const installed = entriesOf(record);
  return Object.entries(locked).flatMap(([path, entry]) => {
    if (path === '' || entry.link || (entry.dev && !withDevelopment)) return [];
    const found = installed?.[path];
    if (found === undefined) return isOptional(path, entry) ? [] : [path];
    return found.version === entry.version && found.integrity === entry.integrity ? [] : [path];
  });
}

/** npm leaves out optional packages of other platforms; only the pinned Node is needed. @param {string} path @param {Entry} entry */
function isOptional(path, { optional, devOptional, os, cpu }) {
  if (!optional && !devOptional) return false;
  const isPinnedNode = Object.hasOwn(pinnedNodes, path.replace('node_modules/', ''));
  const isForThisPlatform = os?.includes(process.platform) && cpu?.includes(process.arch);
  return !(isPinnedNode && isForThisPlatform);
}

/** @param {string} file @returns {Entries | null} null if it is missing or damaged */
function entriesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? null;
  } catch {
    return null;
  }
}

/** @param {readonly string[]} missing @param {boolean} withDevelopment */
async function install(missing, withDevelopment) {
  const installed = entriesOf(record);
  const hasDevelopment = Object.values(installed ?? {}).some(({ dev }) => dev);
  const scope = withDevelopment || hasDevelopment ? '--include=dev' : '--omit=dev';
  // `npm ci` deletes node_modules first; `npm install` adds to it, and with --no-save leaves the lock file unchanged.
  const command = installed === null ? ['ci'] : ['install', '--no-save'];
  const done = startProgress(
    installed === null
      ? `Installing packages, Node and the databases (once; ${withDevelopment ? '1.4 GB' : '160 MB to download, 460 MB'} on disk)`
      : `Updating packages (${missing.length} missing or changed)`,
  );
  if (installed !== null) renameSync(record, setAside);
  const { npm_execpath: npm } = process.env;
  const [program, ...first] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const args = [...first, ...command, scope, '--include=optional', '--loglevel=error', '--no-progress'];
  const { code, signal } = await runChild(/** @type {string} */ (program), args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
    ownGroup: true,
  });
  done();
  if (signal !== null) {
    print('seenby: installation interrupted; the next start repeats it');
    // For a start, as at any other time of it.
    process.exit(withDevelopment ? code || 1 : 0);
  }
  // npm undoes an installation that failed, so its record is valid again.
  if (code !== 0 && installed !== null) renameSync(setAside, record);
  else rmSync(setAside, { force: true });
  if (code !== 0) fail(`npm ${command[0]} failed with exit code ${code}; see its message above`);
  const still = missingPackages(withDevelopment);
  if (still.length > 0) fail(`npm did not install ${still[0]}; delete the folder node_modules and run this again`);
}
