/** Devices and corrections: what the tables state about models, and that every row of them is necessary. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameByUapCore } from '../../src/client/browser-name.ts';
import { deviceOfModel } from '../../src/client/device/device.ts';
import { parseParts, type Tables, tables } from '../../src/client/parts.ts';
import { parseUserAgent, userAgent } from '../../src/client/user-agent.ts';
import { corpus, fixtures, models } from './fixtures.ts';

const agentOf = (model: string, mobile = 'Mobile ') =>
  `Mozilla/5.0 (Linux; Android 13; ${model}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.6099.43 ${mobile}Safari/537.36`;

/** As in a Worker, which has no table of devices. */
const withoutTable = { ...tables, findDevice: () => null };

test('derives vendor and type of each listed model by our own rows, as a Worker does', () => {
  assert.ok(models.length >= 400);
  for (const [model, vendor, type] of models) {
    const device = deviceOfModel(model, withoutTable);
    assert.deepEqual([device.vendor ?? '-', device.type ?? '-'], [vendor, type], model);
  }
});

test('derives the same vendor with the table of devices, and no other type', () => {
  for (const [model, vendor, type] of models) {
    const device = deviceOfModel(model);
    assert.equal(device.vendor ?? '-', vendor, model);
    if (type !== '-') assert.equal(device.type, type, model);
  }
});

test('derives the same from the string and from the model hint, with and without Mobile', () => {
  const reduced = agentOf('K').replace('Android 13', 'Android 10');
  for (const [model, vendor, type] of models) {
    const hints = { 'sec-ch-ua-mobile': '?1', 'sec-ch-ua-platform': '"Android"', 'sec-ch-ua-model': `"${model}"` };
    const hinted = userAgent({ 'user-agent': reduced, ...hints }).device;
    assert.equal(hinted.vendor ?? '-', vendor, model);
    if (type !== '-') assert.equal(hinted.type, type, model);
    for (const mobile of ['Mobile ', '']) {
      const { device } = parseUserAgent(agentOf(model, mobile));
      assert.equal(device.vendor ?? '-', vendor, model);
      if (type !== '-') assert.equal(device.type, type, `${model} ${mobile}`);
    }
  }
});

const samples = [...fixtures.map(({ raw }) => raw), ...corpus.map(({ headers }) => headers['user-agent'] ?? '')];

const read = (raw: string, own: Tables) => {
  const parts = parseParts(raw, own);
  return JSON.stringify({ ...parts, browser: nameByUapCore(parts.browser, raw) });
};

for (const name of ['modelTokens', 'codes'] as const) {
  test(`every row of ${name} is necessary`, () => {
    const rows: readonly (readonly [RegExp, ...unknown[]])[] = tables[name];
    const unnecessary = rows.filter((row) => {
      const own = { ...withoutTable, [name]: rows.filter((other) => other !== row) };
      return models.every(([model, vendor, type]) => {
        const device = deviceOfModel(model, own);
        return (device.vendor ?? '-') === vendor && (device.type ?? '-') === type;
      });
    });
    assert.deepEqual(unnecessary, []);
  });
}

for (const name of ['browsers', 'systems', 'vagueSystems', 'tokens'] as const) {
  test(`every row of ${name} is necessary`, () => {
    const rows: readonly (readonly [RegExp, ...unknown[]])[] = tables[name];
    const unnecessary = rows.filter((row) => {
      const own = { ...tables, [name]: rows.filter((other) => other !== row) };
      return !samples.some((raw) => row[0].test(raw) && read(raw, tables) !== read(raw, own));
    });
    assert.deepEqual(unnecessary, []);
  });
}

test('every vendor word is necessary', () => {
  for (const word of Object.keys(tables.words)) {
    const { [word]: _, ...words } = tables.words;
    assert.ok(
      models.some(([model, vendor]) => (deviceOfModel(model, { ...withoutTable, words }).vendor ?? '-') !== vendor),
      `${word} changes nothing`,
    );
  }
});
