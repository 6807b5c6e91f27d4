/** Parsing of User-Agents, as their vendors document them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../bench/corpus/corpus.ts';
import { parseGivenUserAgent, parseInFull, parseUserAgent, userAgent } from '../../src/client/user-agent.ts';
import { UserAgent } from '../../src/client/user-agent-schema.ts';
import { corpus, fixtures, stated } from './fixtures.ts';

test('parses every listed User-Agent', () => {
  assert.ok(fixtures.length >= 400);
  for (const { raw, said } of fixtures) {
    const result = parseUserAgent(raw);
    assert.equal(stated(result), said, raw);
    assert.equal(result.raw, raw);
    assert.doesNotThrow(() => UserAgent.parse(result), raw);
  }
});

test('recognizes every request of the corpus', () => {
  assert.ok(corpus.length >= 150);
  for (const { headers, expected } of corpus)
    assert.deepEqual(resultOf(userAgent(headers)), expected, JSON.stringify(headers));
});

test('every kind except browser and unknown has a bot of that kind', () => {
  for (const { raw } of fixtures) {
    const { kind, bot } = parseUserAgent(raw);
    assert.equal(bot?.kind ?? null, kind === 'browser' || kind === 'unknown' ? null : kind, raw);
  }
});

test('the engine of every browser on iOS is WebKit', () => {
  for (const { raw } of fixtures.filter(({ raw }) => /CriOS|FxiOS|EdgiOS/.test(raw))) {
    assert.equal(parseUserAgent(raw).engine.name, 'WebKit', raw);
  }
});

test('"K" is not a model and "Intel" not a CPU', () => {
  const android =
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Mobile Safari/537.36';
  assert.deepEqual(parseInFull(android).device, { type: 'mobile', vendor: null, model: null, name: null });
  const mac =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.6 Safari/605.1.15';
  assert.deepEqual(parseInFull(mac).cpu, { architecture: null });
});

test('a browser of iOS that requests desktop sites is no Macintosh', () => {
  const firefox =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/145.0 Safari/605.1.15';
  assert.deepEqual(parseUserAgent(firefox).device, { type: 'unknown', vendor: 'Apple', model: null, name: null });
});

test('reads the model that Telegram states before its class of performance, without the maker', () => {
  for (const [stated, vendor, model] of [
    ['Google Pixel 8; Android 15; SDK 35; HIGH', 'Google', 'Pixel 8'],
    ['Samsung SM-S921B; Android 15; SDK 35; HIGH', 'Samsung', 'SM-S921B'],
    ['Xiaomi 23127PN0CC; Android 14; SDK 34; AVERAGE', 'Xiaomi', '23127PN0CC'],
  ]) {
    const { device } = parseUserAgent(`Telegram-Android/12.2.0 (${stated})`);
    assert.deepEqual([device.vendor, device.model], [vendor, model]);
  }
});

test('takes no part of a word for the maker of a phone', () => {
  for (const raw of ['Acme/1.0 (advanced thing)', 'Acme/1.0 (honorable crawler; +https://acme.example)'])
    assert.deepEqual(parseUserAgent(raw).device, { type: 'unknown', vendor: null, model: null, name: null }, raw);
});

test('reads the model of a phone and derives its vendor', () => {
  const galaxy =
    'Mozilla/5.0 (Linux; Android 15; SM-S931B Build/AP3A.240905.015.A2; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/142.0.7444.48 Mobile Safari/537.36';
  assert.deepEqual(parseUserAgent(galaxy).device, { type: 'mobile', vendor: 'Samsung', model: 'SM-S931B', name: null });
  const pixel = galaxy.replace('SM-S931B', 'Pixel 9 Pro');
  assert.deepEqual(parseUserAgent(pixel).device, {
    type: 'mobile',
    vendor: 'Google',
    model: 'Pixel 9 Pro',
    name: null,
  });
  const streamer = galaxy.replace('SM-S931B', 'Google TV Streamer').replace('Mobile ', '');
  const device = { type: 'smarttv', vendor: 'Google', model: 'Google TV Streamer', name: null };
  assert.deepEqual(parseUserAgent(streamer).device, device);
});

test('a missing User-Agent has null values', () => {
  const nothing = {
    raw: '',
    browser: { name: null, version: null, major: null },
    engine: { name: null, version: null },
    os: { name: null, version: null },
    device: { type: 'unknown', vendor: null, model: null, name: null },
    cpu: { architecture: null },
    kind: 'unknown',
    bot: null,
  };
  assert.deepEqual(userAgent({}), nothing);
  assert.deepEqual(userAgent({ 'user-agent': '' }), nothing);
});

test('accepts any text and returns it unchanged', () => {
  const odd = [
    '\u0000\u0001\u001f',
    '\ud800',
    'Mozilla/5.0 (\udfff',
    ' '.repeat(1_000),
    '🤖'.repeat(200),
    '('.repeat(65_536),
  ];
  for (const raw of [...odd, `${'Mozilla/5.0 ('.repeat(4_000)}`, `GPTBot/1.0${' '.repeat(60_000)}`]) {
    const result = UserAgent.parse(parseUserAgent(raw));
    assert.equal(result.raw, raw);
  }
  assert.equal(parseUserAgent('('.repeat(65_536)).kind, 'unknown');
  assert.equal(parseUserAgent(`GPTBot/1.0${' '.repeat(60_000)}`).bot?.name, 'GPTBot');
});

test('reads the line of a header as its value', () => {
  for (const given of ['User-Agent: curl/8', 'user-agent:curl/8', '  USER-AGENT : curl/8'])
    assert.deepEqual(parseGivenUserAgent(given), parseUserAgent('curl/8'), given);
  assert.equal(parseGivenUserAgent('curl/8').raw, 'curl/8');
  // What a client sends is parsed as it stands.
  assert.equal(parseUserAgent('User-Agent: curl/8').raw, 'User-Agent: curl/8');
});
