/** Time that long and hostile policies take. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grade } from '../../../../src/lookups/headers-check/grade.ts';
import { enforcedPolicy } from '../../../../src/lookups/headers-check/policy/enforced-policy.ts';
import { cpuClock, momentMs } from '../../../cpu-time.ts';
import { responseOf } from '../graded-response.ts';

test('compares long hostile policies in time, or not at all', () => {
  const numbered = (count: number, unit: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => unit(at)).join('');
  const lists = `default-src${numbered(80, (at) => ` g${at}/x/`)},default-src${numbered(80, (at) => ` h${at}/x/`)},`;
  const cpuMs = cpuClock();
  assert.equal(enforcedPolicy(`${lists}${numbered(40, (at) => `a${at}-src;`)}`)?.size, 41);
  const tookMs = cpuMs();
  assert.ok(tookMs < momentMs(), `took ${tookMs} ms`);
  assert.equal(enforcedPolicy(`${lists}${numbered(200, (at) => `a${at}-src;`)}`), null);
  const header = `${lists}${numbered(200, (at) => `a${at}-src;`)}`;
  const { notes } = grade(responseOf({ headers: { 'content-security-policy': header } }));
  assert.ok(notes.some(({ id }) => id === 'csp-not-examined'));
});
