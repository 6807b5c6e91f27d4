/** Memory of databases that are broken. */
import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeMmdb } from '../mmdb.ts';
import { startNode } from '../node-service.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'seenby-'));
});
after(() => rmSync(folder, { recursive: true }));

const quickWatch = { watchIntervalMs: 20 };

/** Far more than any line takes, also on a busy machine. */
const lineTimeoutMs = 45_000;

/** A log whose `line` resolves with the first line that matches. */
function logbook() {
  const lines: string[] = [];
  let notify: () => void = () => {};
  return {
    lines,
    log(line: string): void {
      lines.push(line);
      notify();
    },
    async line(pattern: RegExp): Promise<string> {
      for (;;) {
        const found = lines.find((line) => pattern.test(line));
        if (found !== undefined) return found;
        await new Promise<void>((resolve, reject) => {
          const fail = () => reject(new Error(`no line ${pattern} in:\n${lines.join('\n')}`));
          const timer = setTimeout(fail, lineTimeoutMs);
          notify = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
  };
}

const city = (name: string): Buffer =>
  writeMmdb({ databaseType: 'city', ipVersion: 6, networks: { '127.0.0.0/8': { country_code: 'NO', city: name } } });

test('broken databases do not stay in memory', async (context) => {
  const file = join(folder, 'large.mmdb');
  writeFileSync(file, city('Oslo'));
  const { log, line, lines } = logbook();
  const service = await startNode({ host: '127.0.0.1', geoipCity: [file] }, quickWatch, log);
  context.after(() => service.close());
  let atStart = 0;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    // The first one loads code.
    if (attempt === 1) atStart = process.memoryUsage.rss();
    lines.length = 0;
    writeFileSync(`${file}.new`, '');
    truncateSync(`${file}.new`, 64 * 2 ** 20);
    renameSync(`${file}.new`, file);
    await line(/kept the city database/);
  }
  const grownMb = (process.memoryUsage.rss() - atStart) / 2 ** 20;
  assert.ok(grownMb < 120, `${grownMb} MiB`);
});
