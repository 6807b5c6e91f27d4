/** The log: levels, formats and priorities of its lines. */
import assert from 'node:assert/strict';
import { fstatSync } from 'node:fs';
import { test } from 'node:test';
import { createLog, createServiceLog } from '../../src/runtime/log.ts';

const message = 'kept the certificate; reload failed: a\nb';
const fields = { what: 'the certificate', reason: 'a\nb' };

test('writes each event of the level and above', () => {
  for (const [level, count] of [
    ['error', 1],
    ['warn', 2],
    ['info', 3],
  ] as const) {
    const lines: string[] = [];
    const log = createLog({ format: 'plain', level, write: (line) => lines.push(line) });
    log('stopped', 'stopped');
    log('clock_jumped', 'jumped', { seconds: 1 });
    log('reload_failed', message, fields);
    assert.equal(lines.length, count, level);
    assert.equal(lines.at(-1), 'kept the certificate; reload failed: a b');
  }
});

test('writes an event as one JSON object, with the time in UTC', () => {
  const lines: string[] = [];
  const before = new Date().toISOString();
  createLog({ format: 'json', level: 'info', write: (line) => lines.push(line) })('reload_failed', message, fields);
  assert.doesNotMatch(lines[0] ?? '', /\n/);
  const { time, ...rest } = JSON.parse(lines[0] ?? '');
  assert.ok(time >= before && time <= new Date().toISOString() && time.endsWith('Z'), time);
  assert.deepEqual(rest, { level: 'error', event: 'reload_failed', message, ...fields });
});

test('starts each line with its priority only if systemd reads the stream', () => {
  const { dev, ino } = fstatSync(0);
  for (const [stream, out, err] of [
    [`${dev}:${ino}`, '<4>jumped\n', '<3>failed\n'],
    [`${dev}:${ino + 1}`, 'jumped\n', 'seenby: failed\n'],
    [undefined, 'jumped\n', 'seenby: failed\n'],
  ] as const) {
    const written: string[] = [];
    const standard = { fd: 0, write: (text: string) => written.push(text) };
    const settings = { logFormat: 'plain', logLevel: 'info' } as const;
    const logs = createServiceLog(settings, { out: standard, err: standard }, { JOURNAL_STREAM: stream });
    logs.log('clock_jumped', 'jumped');
    logs.logFailure('start_failed', 'failed');
    assert.deepEqual(written, [out, err]);
  }
});
