/** The shortcut for common User-Agents finds exactly what the long way finds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { commonUserAgent } from '../../src/client/common-user-agent.ts';
import { parseInFull } from '../../src/client/user-agent.ts';
import { check } from '../random.ts';
import { fixtures, models } from './fixtures.ts';

const kit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const webKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

function* templates(): Generator<string> {
  const chromium = [
    'Windows NT 10.0; Win64; x64',
    'Macintosh; Intel Mac OS X 10_15_7',
    'X11; Linux x86_64',
    'X11; CrOS x86_64 14541.0.0',
    'Linux; Android 10; K',
  ];
  for (const platform of chromium) {
    for (let major = 80; major <= 220; major++) {
      for (const mobile of platform.includes('Android') ? ['', 'Mobile '] : ['']) {
        const chrome = `Mozilla/5.0 (${platform}) ${kit} Chrome/${major}.0.0.0 ${mobile}Safari/537.36`;
        yield chrome;
        yield `${chrome} Edg${platform.includes('Android') ? 'A' : ''}/${major}.0.0.0`;
        yield `${chrome} Edg/${major + 1}.0.0.0`;
      }
    }
  }
  for (const platform of [
    'Windows NT 10.0; Win64; x64',
    'Macintosh; Intel Mac OS X 10.15',
    'X11; Linux x86_64',
    'X11; Ubuntu; Linux x86_64',
  ]) {
    for (let major = 60; major <= 220; major++) {
      for (const rv of [major, 109]) yield `Mozilla/5.0 (${platform}; rv:${rv}.0) Gecko/20100101 Firefox/${major}.0`;
    }
  }
  for (let system = 5; system <= 20; system++) {
    for (const form of ['Mobile', 'Tablet']) {
      for (let major = 68; major <= 200; major += 11) {
        yield `Mozilla/5.0 (Android ${system}; ${form}; rv:${major}.0) Gecko/${major}.0 Firefox/${major}.0`;
      }
    }
  }
  for (let major = 12; major <= 40; major++) {
    for (const minor of ['.0', '.6', '.6.1', '.10.12']) {
      yield `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Version/${major}${minor} Safari/605.1.15`;
      for (const device of ['iPhone; CPU iPhone OS', 'iPad; CPU OS']) {
        for (const system of ['12_5_7', '18_6', '18_7', '18_7_1', `${major}_1`, `${major}_2_1`]) {
          for (const product of [`Version/${major}${minor}`, `CriOS/1${major}.0.7912.51`, `FxiOS/1${major}${minor}`]) {
            yield `Mozilla/5.0 (${device} ${system} like Mac OS X) ${webKit} ${product} Mobile/15E148 Safari/604.1`;
          }
        }
      }
    }
  }
}

/** With the full versions that browsers sent before the reduction, and that enterprise policies restore. */
function* fullTemplates(): Generator<string> {
  const chromium = [
    'Windows NT 10.0; Win64; x64',
    'Windows NT 6.3; Win64; x64',
    'Windows NT 6.1; WOW64',
    'Macintosh; Intel Mac OS X 10_14_6',
    'Macintosh; Intel Mac OS X 11_2',
    'X11; Linux x86_64',
    ...models.map(([model], at) => `Linux; Android ${5 + (at % 12)}${at % 3 === 0 ? '.1.1' : ''}; ${model}`),
  ];
  for (const [at, platform] of chromium.entries()) {
    for (const mobile of platform.includes('Android') ? ['', 'Mobile '] : ['']) {
      const chrome = `Mozilla/5.0 (${platform}) ${kit} Chrome/${30 + (at % 130)}.0.${7000 + at}.92 ${mobile}Safari/537.36`;
      yield chrome;
      if (platform.includes('Android'))
        yield chrome
          .replace(') Apple', ' Build/UP1A.231005.007; wv) Apple')
          .replace(' Chrome/', ' Version/4.0 Chrome/');
      yield `${chrome} Edg${platform.includes('Android') ? 'A' : ''}/${80 + (at % 80)}.0.${3000 + at}.1`;
    }
  }
  for (let major = 60; major <= 160; major++) {
    yield `Mozilla/5.0 (Windows NT 6.1; Win64; x64; rv:${major}.0) Gecko/20100101 Firefox/${major}.0.${major % 4}`;
    yield `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_13_6) AppleWebKit/604.${major}.1 (KHTML, like Gecko) Version/11.${major % 9}.2 Safari/604.${major}.1`;
    yield `Mozilla/5.0 (iPhone; CPU iPhone OS 16_${major % 7} like Mac OS X) ${webKit} Version/16.${major % 7} Mobile/20A${major} Safari/604.1`;
    yield `Mozilla/5.0 (iPad; CPU OS 17_${major % 7}_1 like Mac OS X) ${webKit} Version/17.0 EdgiOS/${major}.0.2045.60 Mobile/15E148 Safari/605.1.15`;
    yield `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${webKit} Version/26.${major % 7} EdgiOS/${major}.0.2045.60 Mobile/15E148 Safari/605.1.15`;
    // From iOS 26 on, its version is that of Safari.
    yield `Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) ${webKit} Version/26.${major % 7} EdgiOS/${major}.0.3800.50 Mobile/15E148 Safari/604.1`;
  }
}

test('agrees with the full parser on full versions and device models', () => {
  let taken = 0;
  for (const raw of fullTemplates()) {
    const shortcut = commonUserAgent(raw);
    if (shortcut === null) continue;
    taken++;
    assert.deepEqual(shortcut, parseInFull(raw), raw);
  }
  assert.ok(taken > 2_000, String(taken));
});

test('agrees with the full parser on every version and platform', () => {
  let taken = 0;
  for (const raw of templates()) {
    const shortcut = commonUserAgent(raw);
    assert.ok(shortcut !== null, raw);
    assert.deepEqual(shortcut, parseInFull(raw));
    taken++;
  }
  assert.ok(taken > 4_000);
});

test('leaves an Android version that looks like an architecture to the full parser', () => {
  for (const version of [32, 64]) {
    const webView = `Mozilla/5.0 (Linux; Android ${version}; SM-S911B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/130.0.0.0 Mobile Safari/537.36`;
    const firefox = `Mozilla/5.0 (Android ${version}; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0`;
    for (const raw of [webView, firefox]) assert.equal(commonUserAgent(raw), null, raw);
  }
});

test('agrees with the full parser on each listed User-Agent that it accepts, and with a character changed', () => {
  const common = fixtures.filter(({ raw }) => commonUserAgent(raw) !== null);
  assert.ok(common.length >= 20);
  for (const { raw } of common) {
    assert.deepEqual(commonUserAgent(raw), parseInFull(raw));
  }
  const change = fc.record({
    raw: fc.constantFrom(...common.map(({ raw }) => raw)),
    at: fc.nat(),
    character: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)),
    replaced: fc.nat(1),
  });
  check(500 * common.length, change, ({ raw, at, character, replaced }) => {
    const place = at % raw.length;
    const changed = raw.slice(0, place) + character + raw.slice(place + replaced);
    const shortcut = commonUserAgent(changed);
    if (shortcut !== null) assert.deepEqual(shortcut, parseInFull(changed));
  });
});

test('returns copies of its tables', () => {
  const raw = 'Mozilla/5.0 (X11; Linux x86_64; rv:156.0) Gecko/20100101 Firefox/156.0';
  const first = commonUserAgent(raw);
  assert.ok(first);
  first.os.name = first.device.model = first.cpu.architecture = 'changed';
  assert.deepEqual(commonUserAgent(raw), parseInFull(raw));
});
