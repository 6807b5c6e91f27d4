/** Which command runs a test file, and which files share a process. */
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { inRoot, root } from '../project.mjs';

/** Their files depend on the machine, start a browser or simulate a network. Elsewhere, such a file is named `….heavy.test.ts`. */
const heavyFolders = ['abuse', 'browser', 'deploy', 'fingerprints', 'internet', 'package'];
/** Most of their files start services or programs. */
const serviceFolders = ['acceptance', 'runtime', 'service', 'setup'];
/**
 * Their files share a process: in one for each, half of the time would be to load the same modules again. Those that take longest come first.
 */
const sharedFolders = [
  ['test'],
  ['dialects', 'http', 'lookups', 'mcp', 'wire'],
  ['ingress'],
  ['edges'],
  ['cli'],
  ['client', 'core', 'probes', 'resources', 'traits'],
  ['native'],
];
const groupFolder = 'test-output/groups';

/** The first tier is `check`, which is fast, and `test`; the second is `heavy`. */
export type Tier = 'check' | 'test' | 'heavy';

export function testFiles(pattern = 'test/**/*.test.ts'): string[] {
  const files = globSync(pattern, { cwd: root });
  return files.map((file) => file.replaceAll('\\', '/')).toSorted();
}

export function tierOf(file: string): Tier {
  if (heavyFolders.includes(folderOf(file)) || file.endsWith('.heavy.test.ts')) return 'heavy';
  return serviceFolders.includes(folderOf(file)) ? 'test' : 'check';
}

/** Test files by the file that Node's runner starts, in the order of their names: the test file itself, or a written one that imports several. */
export function groupFiles(files: readonly string[]): Map<string, readonly string[]> {
  rmSync(inRoot(groupFolder), { recursive: true, force: true });
  mkdirSync(inRoot(groupFolder), { recursive: true });
  const groups = Map.groupBy(files, (file) => {
    const at = sharedFolders.findIndex((folders) => folders.includes(folderOf(file)));
    return at === -1 || tierOf(file) === 'heavy' ? file : `${groupFolder}/${at}-${sharedFolders[at]?.join('-')}.ts`;
  });
  for (const [group, members] of groups)
    if (group.startsWith(groupFolder))
      writeFileSync(inRoot(group), members.map((file) => `import '../../${file}';\n`).join(''));
  return groups;
}

/** The folder in test/; `test` for a file of test/ itself. */
const folderOf = (file: string): string => file.split('/').slice(1, -1).at(0) ?? 'test';
