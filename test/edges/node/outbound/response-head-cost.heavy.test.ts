/** Time that hostile heads of responses take. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOfHead, parseHead } from '../../../../src/edges/node/outbound/response-head.ts';
import { cpuClock, momentMs } from '../../../cpu-time.ts';

test('reads hostile heads of 32 KB in time', () => {
  for (const unit of [
    ' ',
    '\t\n',
    '\n ',
    ':\n',
    'a:\n',
    'a: b\n c\n',
    '\r',
    'x',
    '\0',
    'content-length: 1\n',
    ' :',
    'é\n',
  ]) {
    const text = `HTTP/1.1 200 OK\n${unit.repeat(32_768 / unit.length)}\n\n`;
    const cpuMs = cpuClock();
    assert.equal(parseHead(text)?.status, 200);
    endOfHead(text, 0);
    const tookMs = cpuMs();
    assert.ok(tookMs < momentMs(), `${JSON.stringify(unit)} took ${tookMs} ms`);
  }
});
