/** The first start converts the embedded ASN database, later ones do not. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runWith } from '../cli/run-with.ts';

const folder = mkdtempSync(join(tmpdir(), 'seenby-first-start-'));
after(() => rm(folder, { recursive: true }));
const environment = { PORT: '0', TLS_PORT: 'off', HOST: '127.0.0.1' };

test('converts the embedded ASN database on the first start only', async () => {
  const dataDir = join(folder, 'text');
  for (const isFirst of [true, false]) {
    const { outcome, out, err } = await runWith([], { ...environment, DATA_DIR: dataDir });
    assert.ok('service' in outcome, err);
    await outcome.service.close();
    assert.equal(out.includes('Converting the ASN database (once)'), isFirst);
    const [, command] =
      /^The location data is from \w+ \d{4} and the ASN data from \w+ \d{4}\. To update: (.*)$/m.exec(out) ?? [];
    assert.equal(command, `./seenby geo update --data-dir ${dataDir}`);
  }
});

test('logs the conversion as JSON with LOG_FORMAT=json', async () => {
  const { outcome, out, err } = await runWith(
    [],
    { ...environment, LOG_FORMAT: 'json', DATA_DIR: join(folder, 'json') },
    { isTTY: true },
  );
  assert.ok('service' in outcome, err);
  await outcome.service.close();
  const events = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).event);
  assert.deepEqual(events, ['asn_conversion', 'databases_old', 'listening']);
});
