/** Memory of a database that several threads share. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeMmdb } from '../../mmdb.ts';
import { startNode } from '../../node-service.ts';

test('a database that several threads share leaves memory when it is replaced', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-threads-'));
  const file = join(folder, 'city.mmdb');
  const networks = [1, 2, 3].map((each) => [`5.${each}.0.0/16`, { city: `${each}`.repeat(5_000_000) }] as const);
  writeFileSync(file, writeMmdb({ databaseType: 'city', ipVersion: 4, networks: Object.fromEntries(networks) }));
  const settings = { host: '127.0.0.1', threads: 2, tlsPort: null, geoipCity: [file] };
  const service = await startNode(settings, { watchIntervalMs: 600_000 });
  const { size } = statSync(file);
  const atStart = process.memoryUsage.rss();
  const reloads = 6;
  for (let each = 0; each < reloads; each += 1) await service.reload();
  const grown = process.memoryUsage.rss() - atStart;
  await service.close();
  rmSync(folder, { recursive: true });
  assert.ok(grown < (reloads / 2) * size, `${grown}`);
});
