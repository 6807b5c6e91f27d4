/** The generated table of devices: what it states, and when it is read. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { findDevice, groupLength, keyOfModel } from '../../../src/client/device/table.ts';
import { readDeviceTable } from '../../../src/edges/node/device-table.ts';

test('finds a whole model in any case and with any separators', () => {
  const onePlus = { vendor: 'OnePlus', type: 'mobile', name: 'OnePlus 11 5G', isWhole: true };
  for (const model of ['CPH2447', 'cph2447', 'CPH 2447', 'CPH-2447']) assert.deepEqual(findDevice(model), onePlus);
  assert.equal(findDevice('C8512')?.vendor, 'Huawei');
  assert.equal(findDevice('Philips W832')?.vendor, 'Philips');
});

test('finds the longest start of a model, and nothing for an unknown one', () => {
  assert.deepEqual(findDevice('IM-A730X99'), { vendor: 'Pantech', type: 'mobile', name: null, isWhole: false });
  assert.deepEqual(findDevice('AN70'), { vendor: 'Archos', type: null, name: null, isWhole: false });
  for (const model of ['', 'K', '-', '???', 'Qwertz 17', 'x'.repeat(10_000)]) assert.equal(findDevice(model), null);
});

test('every row has a maker, and no key occurs twice', () => {
  const [makers = '', ...lines] = readDeviceTable()?.trimEnd().split('\n') ?? [];
  const rows = lines.filter((line) => !line.startsWith('#'));
  const names = makers.split('|');
  const keys = new Set<string>();
  for (const line of rows) {
    const [start = '', ...entries] = line.split('|');
    assert.ok(start !== '' && start.length <= groupLength);
    for (const entry of entries) {
      const [rest = '', maker = '', type = '', name = ''] = entry.split('\t');
      const key = start + rest;
      assert.ok(!keys.has(key), key);
      keys.add(key);
      assert.equal(keyOfModel(key) + (key.endsWith('*') ? '*' : ''), key);
      assert.ok(names[Number.parseInt(maker, 36)], entry);
      assert.match(type, /^[mtswxced]?$/);
      assert.ok(name.length <= 60, name);
    }
  }
  assert.ok(keys.size > 40_000, String(keys.size));
});

const firstModel = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const read = fs.readFileSync;
  const files = [];
  fs.readFileSync = (file, ...rest) => (files.push(String(file)), read(file, ...rest));
  syncBuiltinESMExports();
  const { parseUserAgent } = await import(${JSON.stringify(new URL('../../../src/client/user-agent.ts', import.meta.url).href)});
  const count = () => files.filter((file) => file.endsWith('devices.txt')).length;
  parseUserAgent('Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36');
  const before = count();
  for (const model of ['CPH2447', 'CPH2449'])
    parseUserAgent('Mozilla/5.0 (Linux; Android 13; ' + model + ') AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.6099.43 Mobile Safari/537.36');
  console.log(before, count());
`;

test('the table is read once, at the first model', () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', firstModel], { encoding: 'utf8' });
  assert.equal(output.trim(), '0 1');
});
