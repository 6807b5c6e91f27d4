/** Frozen versions of the OS, and what Client Hints state instead. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frozenOs } from '../../src/client/user-agent.ts';

const agentOf = (platform: string, mobile = '') =>
  `Mozilla/5.0 (${platform}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 ${mobile}Safari/537.36`;

test('names the frozen versions of macOS, Windows, Android and Chrome OS', () => {
  const cases = [
    [agentOf('Macintosh; Intel Mac OS X 10_15_7'), 'macOS 10.15.7'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:156.0) Gecko/20100101 Firefox/156.0', 'macOS 10.15.7'],
    [agentOf('Windows NT 10.0; Win64; x64'), 'Windows 10'],
    [agentOf('Linux; Android 10; K', 'Mobile '), 'Android 10, model K'],
    [agentOf('X11; CrOS x86_64 14541.0.0'), 'Chrome OS 14541.0.0'],
  ];
  for (const [raw = '', stated] of cases) {
    const found = frozenOs({ 'user-agent': raw });
    assert.equal(found?.stated, stated, raw);
    assert.equal(found?.hinted, null);
  }
});

test('other versions are what the browser runs on', () => {
  for (const platform of [
    'Macintosh; Intel Mac OS X 10_14_6',
    'Windows NT 6.1',
    'Linux; Android 10; SM-G960F',
    'X11; Linux x86_64',
  ])
    assert.equal(frozenOs({ 'user-agent': agentOf(platform) }), null, platform);
  assert.equal(frozenOs({}), null);
});

const webKitOf = (platform: string, products: string) =>
  `Mozilla/5.0 (${platform}) AppleWebKit/605.1.15 (KHTML, like Gecko) ${products}`;
const mac = 'Macintosh; Intel Mac OS X 10_15_7';

test('Safari that states a Mac may run on an iPad, and other browsers of iOS say that they do not run on a Mac', () => {
  const meaningOf = (raw: string) => frozenOs({ 'user-agent': raw })?.meaning;
  assert.match(meaningOf(webKitOf(mac, 'Version/26.6 Safari/605.1.15')) ?? '', /, or an iPad$/);
  assert.match(meaningOf(agentOf(mac)) ?? '', /any later version$/);
  assert.equal(meaningOf(webKitOf(mac, 'CriOS/142 Version/11.1.1 Safari/605.1.15')), undefined);
});

test('a console that states the OS of a computer has no frozen version', () => {
  const xbox = `${agentOf('Windows NT 10.0; Win64; x64; Xbox; Xbox One')} Edg/154.0.0.0`;
  assert.equal(frozenOs({ 'user-agent': xbox }), null);
});

test('the version of iOS is frozen in web views that state it nowhere else', () => {
  const iphone = (version: string) => `iPhone; CPU iPhone OS ${version} like Mac OS X`;
  for (const version of ['18_6', '18_7']) {
    const found = frozenOs({ 'user-agent': webKitOf(iphone(version), 'Mobile/15E148 MicroMessenger/8.0.66') });
    assert.equal(found?.stated, `iOS ${version.replace('_', '.')}`);
    assert.equal(found?.meaning, `${found?.stated} or any later version`);
  }
  for (const [version = '', products = ''] of [
    ['18_5', 'Mobile/15E148'],
    ['18_6', 'Version/18.6 Mobile/15E148 Safari/604.1'],
    ['18_7', 'Version/26.6 Mobile/15E148 Safari/604.1'],
    ['18_7', 'CriOS/154.0.7912.51 Mobile/15E148 Safari/604.1'],
    ['18_7', 'Mobile/15E148 [FBAN/FBIOS;FBAV/540.0.0.39.72;FBSV/18.7]'],
    ['18_7', 'Mobile/15E148 Instagram 401.0.0.29.76 (iPhone15,2; iOS 18_7; en_US)'],
    ['18_7', 'Mobile/23B85'],
  ])
    assert.equal(frozenOs({ 'user-agent': webKitOf(iphone(version), products) }), null, products);
});

test('states the version that Client Hints give', () => {
  const cases = [
    ['Windows NT 10.0; Win64; x64', 'Windows', '19.0.0', 'Windows 11'],
    ['Windows NT 10.0; Win64; x64', 'Windows', '10.0.0', 'Windows 10'],
    ['Macintosh; Intel Mac OS X 10_15_7', 'macOS', '26.1.0', 'Mac OS 26.1.0'],
    ['Linux; Android 10; K', 'Android', '16.0.0', 'Android 16.0.0'],
  ];
  for (const [platform = '', name, version, hinted] of cases) {
    const hints = { 'sec-ch-ua-platform': `"${name}"`, 'sec-ch-ua-platform-version': `"${version}"` };
    assert.equal(frozenOs({ 'user-agent': agentOf(platform), ...hints })?.hinted, hinted, platform);
  }
});

test('states no version from Client Hints about another system, or of a browser that sends none', () => {
  const hintsOf = (name: string) => ({ 'sec-ch-ua-platform': `"${name}"`, 'sec-ch-ua-platform-version': '"19.0.0"' });
  const windows = 'Windows NT 10.0; Win64; x64';
  const firefox = `Mozilla/5.0 (${windows}; rv:140.0) Gecko/20100101 Firefox/140.0`;
  assert.equal(frozenOs({ 'user-agent': agentOf(windows), ...hintsOf('Linux') })?.hinted, null);
  assert.equal(frozenOs({ 'user-agent': firefox, ...hintsOf('Windows') })?.hinted, null);
});
