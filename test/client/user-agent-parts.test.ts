/** Devices and corrections: what the tables state about models, and that every row of them is necessary. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameByUapCore } from '../../src/client/browser-name.ts';
import { appSystems, browsers, systems, vagueSystems } from '../../src/client/data/corrections.ts';
import { deviceTokens, modelTokens } from '../../src/client/data/device-tokens.ts';
import { deviceCodes, vendorWords } from '../../src/client/data/device-vendors.ts';
import { deviceOfModel } from '../../src/client/device/device.ts';
import { parseUserAgent, userAgent } from '../../src/client/user-agent.ts';
import { parseParts } from '../../src/client/user-agent-parts.ts';
import { corpus, fixtures, models } from './fixtures.ts';

const agentOf = (model: string, mobile = 'Mobile ') =>
  `Mozilla/5.0 (Linux; Android 13; ${model}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.6099.43 ${mobile}Safari/537.36`;

test('derives vendor and type of each listed model by our own rows, as a Worker does', () => {
  assert.ok(models.length >= 400);
  for (const [model, vendor, type] of models) {
    const device = deviceOfModel(model, null);
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

const read = (raw: string) => {
  const parts = parseParts(raw);
  return JSON.stringify({ ...parts, browser: nameByUapCore(parts.browser, raw) });
};

type Rows = readonly (readonly [RegExp, ...unknown[]])[];

/** The rows without which nothing changes; each is taken out of its table for the question. */
function unnecessary(rows: Rows, changes: (row: Rows[number]) => boolean): Rows {
  const table = rows as Rows[number][];
  return [...rows].filter((row, at) => {
    table.splice(at, 1);
    try {
      return !changes(row);
    } finally {
      table.splice(at, 0, row);
    }
  });
}

/** As in a Worker, which has no table of devices. */
const isDerived = () =>
  models.every(([model, vendor, type]) => {
    const device = deviceOfModel(model, null);
    return (device.vendor ?? '-') === vendor && (device.type ?? '-') === type;
  });

for (const [name, rows] of Object.entries({ modelTokens, deviceCodes })) {
  test(`every row of ${name} is necessary`, () => {
    assert.deepEqual(
      unnecessary(rows, () => !isDerived()),
      [],
    );
  });
}

for (const [name, rows] of Object.entries({ browsers, systems, appSystems, vagueSystems, deviceTokens })) {
  test(`every row of ${name} is necessary`, () => {
    const before = new Map(samples.map((raw) => [raw, read(raw)]));
    const changes = ([token]: Rows[number]) => samples.some((raw) => token.test(raw) && before.get(raw) !== read(raw));
    assert.deepEqual(unnecessary(rows, changes), []);
  });
}

test('every vendor word is necessary', () => {
  const words: Record<string, string> = vendorWords;
  for (const [word, vendor] of Object.entries(words)) {
    delete words[word];
    assert.ok(!isDerived(), `${word} changes nothing`);
    words[word] = vendor;
  }
});
