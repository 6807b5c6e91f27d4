/** Memory of the process beside the pages of mapped files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { embeddedCity } from '../../src/edges/node/geoip/geoip.ts';
import { mapFile } from '../../src/native/mapped-file.ts';
import { openMemoryReader } from '../../src/runtime/memory-limit.ts';

test('counts memory of the process, not the pages of files', { skip: process.platform !== 'linux' }, async (t) => {
  const reader = openMemoryReader();
  t.after(reader.close);
  const [file = ''] = embeddedCity;
  const mapping = await mapFile(file);
  assert.ok(mapping !== null);
  const before = reader.read() ?? 0;
  const residentBefore = process.memoryUsage.rss();
  let sum = 0;
  for (let at = 0; at < mapping.length; at += 4096) sum += mapping[at] ?? 0;
  assert.ok(sum > 0);
  assert.ok(process.memoryUsage.rss() - residentBefore > 40e6, 'the file is resident');
  const afterReading = reader.read() ?? 0;
  assert.ok(afterReading - before < 10, `${afterReading - before} MiB`);
  const bytes = Buffer.alloc(50 * 2 ** 20, 1);
  assert.ok((reader.read() ?? 0) - afterReading > 40 && bytes.length > 0);
});
