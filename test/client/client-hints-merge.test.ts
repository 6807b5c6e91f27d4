/** Client Hints and Signature-Agent add to the result of the User-Agent and never contradict it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUserAgent, userAgent } from '../../src/client/user-agent.ts';
import { UserAgent } from '../../src/client/user-agent-schema.ts';

const windows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36';
const mac = windows.replace('Windows NT 10.0; Win64; x64', 'Macintosh; Intel Mac OS X 10_15_7');
const android =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Mobile Safari/537.36';

/** `userAgent` of a User-Agent and hints without their common prefix. */
function hinted(raw: string, hints: Record<string, string>): UserAgent {
  const fields = Object.entries(hints).map(([name, value]) => [name ? `sec-ch-ua-${name}` : 'sec-ch-ua', value]);
  return UserAgent.parse(userAgent({ 'user-agent': raw, ...Object.fromEntries(fields) }));
}

const brands = (name: string, version = '154') => `"Chromium";v="154", "${name}";v="${version}", "Not)A;Brand";v="24"`;

test('derives the Windows version from the platform version', () => {
  for (const [version, os] of Object.entries({
    '19.0.0': '11',
    '13.0.0': '11',
    '10.0.0': '10',
    '1.0.0': '10',
    '0.3.0': '8.1',
    '0.2.0': '8',
    '0.1.0': '7',
    '0.0.0': '10',
  })) {
    assert.deepEqual(hinted(windows, { platform: '"Windows"', 'platform-version': `"${version}"` }).os, {
      name: 'Windows',
      version: os,
    });
  }
});

test('reads the real versions of macOS, Android and Chrome OS', () => {
  assert.deepEqual(hinted(mac, { platform: '"macOS"', 'platform-version': '"26.1.0"' }).os, {
    name: 'Mac OS',
    version: '26.1.0',
  });
  assert.deepEqual(hinted(android, { platform: '"Android"', 'platform-version': '"16.0.0"' }).os, {
    name: 'Android',
    version: '16.0.0',
  });
  const chromebook = windows.replace('Windows NT 10.0; Win64; x64', 'X11; CrOS x86_64 14541.0.0');
  for (const platform of ['"Chrome OS"', '"Chromium OS"']) {
    assert.equal(hinted(chromebook, { platform, 'platform-version': '"16404.45.0"' }).os.version, '16404.45.0');
  }
});

test('reads the model of a phone and derives its vendor', () => {
  assert.deepEqual(hinted(android, { model: '"SM-S931B"' }).device, {
    type: 'mobile',
    vendor: 'Samsung',
    model: 'SM-S931B',
    name: null,
  });
  assert.deepEqual(hinted(android, { model: '"Pixel 9 Pro"' }).device, {
    type: 'mobile',
    vendor: 'Google',
    model: 'Pixel 9 Pro',
    name: null,
  });
  assert.deepEqual(hinted(windows, { model: '"SM-S931B"' }).device, parseUserAgent(windows).device);
});

test('reads the device type from the form factor, else from the mobile hint', () => {
  const types = {
    XR: 'xr',
    Watch: 'wearable',
    Automotive: 'embedded',
    Tablet: 'tablet',
    Mobile: 'mobile',
    Desktop: 'desktop',
  };
  for (const [formFactor, type] of Object.entries(types)) {
    assert.equal(hinted(android, { 'form-factors': `"EInk", "${formFactor}"` }).device.type, type);
  }
  const desktopSite = windows.replace('Windows NT 10.0; Win64; x64', 'X11; Linux x86_64');
  assert.equal(hinted(desktopSite, { mobile: '?1', platform: '"Android"' }).device.type, 'mobile');
  assert.equal(hinted(desktopSite, { mobile: '?0', platform: '"Linux"' }).device.type, 'desktop');
});

test('a model hint that names a car or a television decides the type as the same word in the string does', () => {
  const devices = [
    ['Polestar 2', 'embedded', 'Polestar'],
    ['Renault OpenR Link', 'embedded', 'Renault'],
    ['Volvo XC40', 'embedded', 'Volvo'],
    ['Hisense SmartTV', 'smarttv', 'Hisense'],
  ] as const;
  for (const [model, type, vendor] of devices) {
    const { device } = hinted(android, { mobile: '?1', platform: '"Android"', model: `"${model}"` });
    assert.deepEqual(device, { type, vendor, model, name: null });
  }
});

test('reads the CPU from architecture and bitness', () => {
  const cases = [
    ['"x86"', '"64"', 'amd64'],
    ['"x86"', '"32"', 'ia32'],
    ['"arm"', '"64"', 'arm64'],
    ['"arm"', '"32"', 'arm'],
    ['"mips"', '"32"', 'amd64'],
  ];
  for (const [arch = '', bitness = '', architecture] of cases) {
    assert.equal(hinted(windows, { arch, bitness }).cpu.architecture, architecture);
  }
});

test('reads the full version of browser and engine if the major is the same', () => {
  const full = (version: string) =>
    `"Chromium";v="${version}", "Google Chrome";v="${version}", "Not)A;Brand";v="24.0.0.0"`;
  const { browser, engine } = hinted(windows, { 'full-version-list': full('154.0.7912.51') });
  assert.deepEqual(browser, { name: 'Chrome', version: '154.0.7912.51', major: '154' });
  assert.deepEqual(engine, { name: 'Blink', version: '154.0.7912.51' });
  assert.deepEqual(hinted(windows, { 'full-version-list': full('99.0.1.2') }), parseUserAgent(windows));
  assert.deepEqual(hinted(windows, { '': brands('Google Chrome') }), parseUserAgent(windows));
});

test('reads the browser behind a plain Chrome string from its brand', () => {
  const names: Record<string, string> = {
    Brave: 'Brave',
    'Microsoft Edge': 'Edge',
    'Android WebView': 'Chrome WebView',
    YaBrowser: 'Yandex',
    HuaweiBrowser: 'Huawei Browser',
    HeadlessChrome: 'Chrome Headless',
  };
  for (const [brand, name] of Object.entries(names)) {
    const { browser } = hinted(windows, { '': brands(brand, '77') });
    assert.deepEqual(browser, { name, version: '77', major: '77' });
  }
  assert.equal(hinted(windows, { '': '"Chromium";v="154", "Not)A;Brand";v="24"' }).browser.name, 'Chromium');
  const edge = `${windows} Edg/154.0.0.0`;
  assert.equal(hinted(edge, { '': brands('Google Chrome') }).browser.name, 'Edge');
});

test('recognizes a headless browser by its brand', () => {
  const { kind, bot } = hinted(windows, { '': brands('HeadlessChrome') });
  assert.equal(kind, 'headless-browser');
  assert.deepEqual(bot, { name: 'HeadlessChrome', kind: 'headless-browser', operator: null });
});

test('ignores hints of a browser that sends none, of another OS, and malformed ones', () => {
  const hints = { '': brands('Google Chrome'), platform: '"Windows"', 'platform-version': '"19.0.0"', mobile: '?0' };
  for (const raw of [
    'Mozilla/5.0 (X11; Linux x86_64; rv:156.0) Gecko/20100101 Firefox/156.0',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.6 Safari/605.1.15',
    'curl/8.17.0',
    '',
    mac,
  ] as const) {
    assert.deepEqual(hinted(raw, hints), parseUserAgent(raw));
  }
  for (const malformed of ['', '(', '"', '\ud800', '"a";v=1', '?'.repeat(70_000)]) {
    const names = [
      '',
      'full-version-list',
      'mobile',
      'platform',
      'platform-version',
      'model',
      'arch',
      'bitness',
      'form-factors',
    ];
    const all = Object.fromEntries(names.map((name) => [name, malformed]));
    assert.deepEqual(hinted(windows, all), parseUserAgent(windows), malformed.slice(0, 20));
  }
});

test('reports the agent of Signature-Agent as claimed', () => {
  const claimed = { name: 'ChatGPT agent (claimed by Signature-Agent)', kind: 'ai-assistant', operator: 'OpenAI' };
  for (const field of [
    '"https://chatgpt.com"',
    'https://chatgpt.com',
    'sig1="https://chatgpt.com"',
    'a="http://x", b="https://chatgpt.com"',
    'a="https://chatgpt.com";type=jwks, b="https://agent.example"',
    '"https://ChatGPT.com/.well-known/http-message-signatures-directory"',
  ] as const) {
    for (const raw of [windows, '', 'Go-http-client/2.0']) {
      const { kind, bot, browser } = userAgent({ 'user-agent': raw, 'signature-agent': field });
      assert.deepEqual({ kind, bot }, { kind: 'ai-assistant', bot: claimed });
      assert.deepEqual(browser, parseUserAgent(raw).browser);
    }
  }
  assert.deepEqual(userAgent({ 'user-agent': windows, 'signature-agent': '"https://agent.example"' }).bot, {
    name: 'agent.example (claimed by Signature-Agent)',
    kind: 'bot',
    operator: null,
  });
  // The URL in the query is not the agent's.
  for (const field of ['https://evil.example/?x=https://chatgpt.com', '"https://evil.example/?x=https://chatgpt.com"'])
    assert.match(
      `${userAgent({ 'user-agent': windows, 'signature-agent': field }).bot?.name}`,
      /^evil\.example \(claimed/,
      field,
    );
});

test('a Signature-Agent does not rename a bot that names itself, and a malformed one changes nothing', () => {
  const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
  assert.equal(
    userAgent({ 'user-agent': googlebot, 'signature-agent': '"https://chatgpt.com"' }).bot?.name,
    'Googlebot',
  );
  for (const field of [
    '',
    'chatgpt.com',
    '"http://chatgpt.com"',
    '"https://evil chatgpt.com"',
    '(',
    '/?x=https://chatgpt.com',
    `"https://chatgpt.com/${'x'.repeat(1024)}"`,
    'x'.repeat(70_000),
  ] as const) {
    assert.equal(userAgent({ 'user-agent': windows, 'signature-agent': field }).kind, 'browser', field.slice(0, 40));
  }
});

test('reports the operator of each listed host', () => {
  for (const [host, operator] of [
    ['chatgpt.com', 'OpenAI'],
    ['agent.bot.goog', 'Google'],
    ['www.hyperbrowser.ai', 'Hyperbrowser'],
    ['shopify.com', 'Shopify'],
  ] as const) {
    const { bot } = userAgent({ 'user-agent': windows, 'signature-agent': `"https://${host}"` });
    assert.equal(bot?.operator, operator, host);
  }
});
