/** The generated table is uap-core's, unchanged. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { uapCoreBrowsers } from '../../src/client/uap-core-browsers.ts';
import { uapCoreRules, version } from './uap-core-rules.ts';

test('equals the browser rules of the pinned package', () => {
  assert.ok(uapCoreBrowsers.length > 300);
  assert.deepEqual(uapCoreBrowsers, uapCoreRules());
});

test('names its version and licence', () => {
  const source = readFileSync(new URL('../../src/client/uap-core-browsers.ts', import.meta.url), 'utf8');
  assert.ok(source.includes(`uap-core ${version}`));
  assert.ok(source.includes('Apache License, Version 2.0'));
});
