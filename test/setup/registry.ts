/** An npm registry on loopback with small packages, whose downloads a test can hold back. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

interface Package {
  readonly integrity: string;
  readonly tarball: Buffer;
}

export interface Registry {
  readonly url: string;
  /** Downloads so far, by file name. */
  readonly downloads: string[];
  /** Until `release`, downloads stay open without a byte. */
  hold(): void;
  release(): void;
  integrityOf(name: string, version: string): string;
  close(): void;
}

export async function startRegistry(folder: string, packages: readonly (readonly [string, string])[]) {
  const packed = new Map(packages.map(([name, version]) => [`${name}-${version}.tgz`, pack(folder, name, version)]));
  let held: (() => void)[] | null = null;
  const registry: Registry = {
    url: '',
    downloads: [],
    hold: () => {
      held = [];
    },
    release: () => {
      for (const send of held ?? []) send();
      held = null;
    },
    integrityOf: (name, version) => packed.get(`${name}-${version}.tgz`)?.integrity ?? '',
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  const server = createServer(({ url = '' }, response) => {
    const file = url.slice(1);
    const found = packed.get(file);
    if (found !== undefined) {
      registry.downloads.push(file);
      const send = () => void response.end(found.tarball);
      if (held === null) send();
      else held.push(send);
      return;
    }
    const versions = packages
      .filter(([name]) => name === file)
      .map(([name, version]) => {
        const { integrity } = packed.get(`${name}-${version}.tgz`) as Package;
        const dist = { integrity, tarball: `http://${address()}/${name}-${version}.tgz` };
        return [version, { name, version, dist }] as const;
      });
    const latest = versions.at(-1)?.[0];
    response
      .writeHead(latest === undefined ? 404 : 200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ name: file, 'dist-tags': { latest }, versions: Object.fromEntries(versions) }));
  });
  const address = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(registry, { url: `http://${address()}` });
}

function pack(folder: string, name: string, version: string): Package {
  const parent = join(folder, `${name}-${version}`);
  mkdirSync(join(parent, 'package'), { recursive: true });
  writeFileSync(join(parent, 'package', 'package.json'), JSON.stringify({ name, version }));
  const { status } = spawnSync('tar', ['-czf', `${parent}.tgz`, '-C', parent, 'package']);
  if (status !== 0) throw new Error('tar failed');
  const tarball = readFileSync(`${parent}.tgz`);
  return { tarball, integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}` };
}
