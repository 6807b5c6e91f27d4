/** Which command runs a test file, and which files share a process. */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { inRoot, root } from '../project.mjs';

/** Their files depend on the machine, start a browser or simulate a network. Elsewhere, such a file is named `….heavy.test.ts`. */
const heavyFolders = ['abuse', 'browser', 'deploy', 'fingerprints', 'internet', 'package'];
/** Most of their files start services or programs. */
const serviceFolders = ['acceptance', 'runtime', 'service', 'setup'];
/** In a process for each file, half of the time would be to load the same modules again. */
const sharedFolders = [
  ['client', 'core', 'probes', 'resources', 'traits'],
  ['dialects', 'http', 'lookups', 'mcp', 'wire'],
  ['edges', 'ingress'],
];
/** A file with it replaces clocks or timers for its whole process. */
const replacesGlobals = /\bmock\b.*\b(?:Date|setInterval)\b/;
const groupFolder = 'test-output/groups';

/** `check` is the fast part of `test`; `heavy` is what only `test:all` runs. */
export type Tier = 'check' | 'test' | 'heavy';

export function testFiles(pattern = 'test/**/*.test.ts'): string[] {
  const files = globSync(pattern, { cwd: root });
  return files.map((file) => file.replaceAll('\\', '/')).toSorted();
}

export function tierOf(file: string): Tier {
  if (heavyFolders.includes(folderOf(file)) || file.endsWith('.heavy.test.ts')) return 'heavy';
  return serviceFolders.includes(folderOf(file)) ? 'test' : 'check';
}

/** Test files by the file that Node's runner starts: the test file itself, or a written one that imports several. */
export function groupFiles(files: readonly string[]): Map<string, readonly string[]> {
  rmSync(inRoot(groupFolder), { recursive: true, force: true });
  mkdirSync(inRoot(groupFolder), { recursive: true });
  const groups = Map.groupBy(files, (file) => {
    const shared = sharedFolders.findIndex((folders) => folders.includes(folderOf(file)));
    const isAlone = shared < 0 || tierOf(file) === 'heavy' || replacesGlobals.test(readFileSync(inRoot(file), 'utf8'));
    return isAlone ? file : `${groupFolder}/${sharedFolders[shared]?.join('-')}.ts`;
  });
  for (const [group, members] of groups)
    if (group.startsWith(groupFolder))
      writeFileSync(inRoot(group), members.map((file) => `import '../../${file}';\n`).join(''));
  return groups;
}

/** The folder in test/; '' for a file of test/ itself. */
const folderOf = (file: string): string => file.split('/').slice(1, -1).at(0) ?? '';
