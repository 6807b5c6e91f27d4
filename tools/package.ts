/** Builds the npm packages in build/package and build/light: `npm run package`, then `npm pack ./build/package`. */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licensesOf, productionFolders } from './licenses.ts';
import { buildLight } from './light-package.ts';
import { nodeCheck } from './node-check.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'build', 'package');

interface Component {
  readonly 'bom-ref': string;
  readonly scope?: string;
}

interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });

await build({
  absWorkingDir: root,
  entryPoints: {
    seenby: 'src/cli/seenby.ts',
    functions: 'src/http/library.ts',
    // A program of its own: runtime/databases/geoip-files.ts starts it.
    'asn-conversion': 'src/runtime/databases/asn-conversion.ts',
    // The same: runtime/threads/supervisor.ts.
    worker: 'src/runtime/threads/worker.ts',
    // The same: runtime/http3/http3-process.ts.
    http3: 'src/runtime/http3/child.ts',
    // The same: cli/me/client-tests.ts.
    'resolve-names': 'src/cli/me/resolve-names.ts',
    // The same: runtime/datagrams/datagram-thread.ts.
    datagrams: 'src/runtime/datagrams/worker.ts',
  },
  outdir: join(target, 'dist'),
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.20',
  packages: 'external',
  chunkNames: '[name]-[hash]',
  banner: { js: '// MIT license; source: see package.json' },
  logLevel: 'warning',
});
// edges/node/device-table.ts reads it beside its bundle.
cpSync(join(root, 'src/edges/node/generated'), join(target, 'dist', 'generated'), { recursive: true });
const program = join(target, 'dist', 'seenby.js');
writeFileSync(program, `#!/usr/bin/env node\n${readFileSync(program, 'utf8')}`, { mode: 0o755 });

// In a module of its own, because what a module imports runs before it. The library also runs on earlier versions of Node 22; the server does not.
writeFileSync(
  join(target, 'dist', 'node-check.js'),
  `${nodeCheck('seenby', 'Promise.withResolvers', '22.20, 24.7 or later')}\n`,
);
writeFileSync(join(target, 'dist', 'library.js'), `import './node-check.js';\nexport * from './functions.js';\n`);

const types = join(target, 'types');
const tsc = ['-p', 'tools/tsconfig.package.json', '--outDir', types];
const { status } = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), tsc, { cwd: root, stdio: 'inherit' });
if (status !== 0) throw new Error('tsc failed');
for (const file of globSync('**/*.d.ts', { cwd: types })) {
  const text = readFileSync(join(types, file), 'utf8');
  writeFileSync(join(types, file), text.replaceAll(/(from |import\()(['"])(\.[^'"]*)\.ts\2/g, '$1$2$3.js$2'));
}

const { name, version, description, license, type, dependencies } = manifest;
const published = {
  name,
  version,
  description,
  license,
  type,
  bin: { seenby: './dist/seenby.js' },
  // The first two for tools that do not read exports.
  main: './dist/library.js',
  types: './types/http/library.d.ts',
  exports: { '.': { types: './types/http/library.d.ts', default: './dist/library.js' } },
  files: ['dist', 'types', 'docs', 'LICENSES', 'sbom.cdx.json'],
  engines: { node: '^22.20 || >=24.7' },
  dependencies,
};
writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'docs'])
  cpSync(join(root, file), join(target, file), { recursive: true });
writeFileSync(join(target, 'LICENSES'), licensesOf(productionFolders()));
writeFileSync(join(target, 'sbom.cdx.json'), `${JSON.stringify(billOfMaterials(), null, 2)}\n`);
const light = join(root, 'build', 'light');
await buildLight(light);
process.stdout.write(`wrote ${target} and ${light}\n`);

/** What an installation gets, from the lock file, in the form of CycloneDX. With `--omit=dev`, npm would omit undici, which development needs too. */
function billOfMaterials(): object {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'];
  const { status, stdout } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 24 });
  if (status !== 0) throw new Error('npm sbom failed');
  const { components, dependencies, ...bom } = JSON.parse(stdout) as Bom;
  const required = components.filter(({ scope }) => scope === 'required');
  const refs = new Set([...required, bom.metadata.component].map((component) => component['bom-ref']));
  const links = dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }));
  return { ...bom, components: required, dependencies: links };
}
