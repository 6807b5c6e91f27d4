/** License texts of packages, which copies of their code must contain. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The texts of all packages in these folders, which are relative to the project's. A package without a text states the name of its license. */
export function licensesOf(folders: readonly string[]): string {
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const files = globSync('{*LICENSE*,*LICENCE*,license*,NOTICE*}', { cwd: join(root, folder) }).sort();
    const text = files.map((file) => readFileSync(join(root, folder, file), 'utf8').trim()).join('\n\n');
    return `${name} ${version} (${license})\n\n${text || `Published under ${license}, without a text.`}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** Folders of the packages that the service needs and that are installed here. */
export function productionFolders(): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages as Record<string, { dev?: boolean; optional?: boolean }>)
    .filter(([path, { dev, optional }]) => path !== '' && !dev && !optional && existsSync(join(root, path)))
    .map(([path]) => path);
}
