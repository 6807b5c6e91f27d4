/** The service without the folders of QUIC, which are to be deleted when Node has a QUIC server: the rest starts and serves. */
import assert from 'node:assert/strict';
import { cp, mkdtempDisposable, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bounds } from '../../src/edges/node/limits/bounds.ts';
import { Info } from '../../src/resources/info.ts';
import type { serve } from '../../src/runtime/serve.ts';
import { settingsOf } from '../node-service.ts';
import { projectFolder } from '../source-files.ts';

const deleted = ['src/native/quic', 'src/runtime/http3'].map((folder) => join(projectFolder, folder));

test('starts and serves without the engine for QUIC and its process', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'seenby-'));
  const copied = ['src', 'package.json'];
  for (const name of copied) {
    const options = { recursive: true, filter: (path: string) => !deleted.includes(path) };
    await cp(join(projectFolder, name), join(folder.path, name), options);
  }
  await symlink(join(projectFolder, 'node_modules'), join(folder.path, 'node_modules'));
  const module = pathToFileURL(join(folder.path, 'src/runtime/serve.ts')).href;
  const { serve: start } = (await import(module)) as { serve: typeof serve };
  const settings = settingsOf({ host: '127.0.0.1' });
  const service = await start(settings, { ...bounds, closeGraceMs: 20, heapGrowthPercent: 0 }, { log() {} });
  try {
    const response = await fetch(`${service.http}/json`);
    assert.equal(Info.parse(await response.json()).http.protocol, 'HTTP/1.1');
    await assert.rejects(start({ ...settings, http3Port: 0 }, bounds, { log() {} }), { code: 'ERR_MODULE_NOT_FOUND' });
  } finally {
    await service.close();
  }
});
