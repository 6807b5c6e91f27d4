/** Engines of browsers whose User-Agent names none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enginesByToken } from '../../src/client/data/engines.ts';
import { parseUserAgent } from '../../src/client/user-agent.ts';

/** User-Agent, engine, version of the engine. */
const examples: readonly (readonly [raw: string, name: string | null, version: string | null])[] = [
  ['Opera/9.25 (Windows NT 6.0; U; en)', 'Presto', null],
  ['Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1; en) Opera 8.50', 'Presto', null],
  ['Mozilla/5.0 (Windows NT 5.1; U; de; rv:1.9.1.6) Gecko/20091201 Firefox/3.5.6 Opera 11.00', 'Presto', null],
  ['Opera/9.80 (Android; Opera Mini/7.5.33361/31.1448; U; en) Presto/2.8.119 Version/11.10', 'Presto', '2.8.119'],
  ['Opera/8.01 (J2ME/MIDP; Opera Mini/3.1.10423/1724; en; U; ssr)', 'Presto', null],
  ['Opera/5.02 (Windows 98; U)  [en]', 'Elektra', null],
  ['Mozilla/4.71 (Windows 3.10; US) Opera 3.20 [en]', null, null],
  ['MOT-MOTORAZRV9/4 BER2.2 Mozilla/4.0 (compatible; MSIE 6.0; 14003181) Profile/MIDP-2.0', null, null],
  ['UCWEB/2.0 (iOS; U; iPad OS 6_1_3; en-US; iPad2,5) U2/1.0.0 UCBrowser/9.0.0.260 U2/1.0.0 Mobile', null, null],
  ['Mozilla/5.0 (Android; Mobile) Gecko/20.0 Firefox/20.0', 'Gecko', '20.0'],
  ['Mozilla/5.0 (Windows) Gecko/20040626 Firefox/0.9.1', 'Gecko', null],
  ['Mozilla/5.0 (Windows NT 6.1) Firefox/40.1', 'Gecko', null],
  ['MQQBrowser/2.7/ZTE-TU880 Linux/2.6.32 Android/2.2 Release/5.25.2011 Browser/AppleWebKit533.1', 'WebKit', '533.1'],
  ['Mozilla/4.0 (compatible; MSIE 5.23; Mac_PowerPC)', 'Tasman', null],
  ['Mozilla/4.0 (compatible; MSIE 4.5; Mac_PowerPC)', null, null],
  ['Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1; SV1)', 'Trident', null],
  ['Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 6.0; Maxthon)', 'Trident', null],
  ['Mozilla/4.0 (compatible; MSIE 6.0; Windows CE; IEMobile 7.11)', 'Trident', null],
  ['Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0)', 'Trident', '6.0'],
  ['Mozilla/2.0 (compatible; MSIE 3.0; Windows 95)', null, null],
  ['Mozilla/5.0 (compatible; Konqueror/3.3; Linux)', 'KHTML', null],
  ['Mozilla/5.0 (Nintendo 3DS; U; ; en) Version/1.7498.US', 'WebKit', null],
  ['Mozilla/4.0 (PSP (PlayStation Portable); 2.00)', 'NetFront', null],
  ['Mozilla/5.0 (X11; Linux x86_64) Chrome/28.0.1500.45 Safari/537.36', 'Blink', '28.0.1500.45'],
  ['Mozilla/5.0 (X11; Linux x86_64) Chrome/27.0.1453.93 Safari/537.36', 'WebKit', null],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Spotify/8.8.50', 'WebKit', null],
];

for (const [raw, name, version] of examples)
  test(`the engine of ${raw} is ${name}`, () => {
    assert.deepEqual(parseUserAgent(raw).engine, { name, version });
  });

test('each row of the table decides about an example', () => {
  const decisive = examples.map(([raw]) => enginesByToken.find(([token]) => token.test(raw)));
  for (const row of enginesByToken) assert.ok(decisive.includes(row), String(row[0]));
});

test('only a browser has an engine that it does not name', () => {
  for (const raw of ['Podcasts/1575.1.2 CFNetwork/1220.1 Darwin/20.3.0', 'AcmeApp/3 (iPhone; iOS 17.2; Scale/3.00)']) {
    const { kind, engine } = parseUserAgent(raw);
    assert.notEqual(kind, 'browser', raw);
    assert.deepEqual(engine, { name: null, version: null }, raw);
  }
});
