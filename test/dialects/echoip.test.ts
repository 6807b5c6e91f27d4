/** The shape of echoip: its JSON, and its errors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, bodyOf, jsonOf, munich, stranger } from './requests.ts';

test('the JSON has the keys of echoip in its order', () => {
  assert.equal(
    bodyOf('/as/echoip/json', { observed: { ...munich, location: { ...munich.location, metroCode: '635' } } }),
    `{
  "ip": "203.0.113.7",
  "ip_decimal": 3405803783,
  "country": "Germany",
  "country_iso": "DE",
  "country_eu": true,
  "region_name": "Bavaria",
  "region_code": "BY",
  "metro_code": 635,
  "zip_code": "80331",
  "city": "Munich",
  "latitude": 48.1374,
  "longitude": 11.5755,
  "time_zone": "Europe/Berlin",
  "asn": "AS64500",
  "asn_org": "Example Net",
  "user_agent": {
    "product": "curl",
    "version": "8.5.0",
    "raw_value": "curl/8.5.0"
  }
}`,
  );
});

test('values that are not known are absent, and an IPv6 address has all its digits', () => {
  assert.equal(
    bodyOf('/as/echoip/json', { observed: stranger }),
    '{\n  "ip": "2001:4860:4860::8888",\n  "ip_decimal": 42541956123769884636017138956568135816,\n  "country_eu": false\n}',
  );
  const onEquator = { ...munich, location: { ...munich.location, latitude: 0 } };
  assert.equal(jsonOf('/as/echoip/json', { observed: onEquator }).latitude, undefined);
});

test('a User-Agent cannot change the number of the address', () => {
  const headers = { 'user-agent': '"ip_decimal": "1"' };
  assert.equal(jsonOf('/as/echoip/json', { observed: { ...munich, headers } }).ip_decimal, 3405803783);
});

for (const [agent, expected] of [
  ['Mozilla/5.0 (X11) Gecko', { product: 'Mozilla', version: '5.0', comment: '(X11) Gecko' }],
  ['Go-http-client/2.0', { product: 'Go-http-client', version: '2.0' }],
  ['fetch libfetch/x y', { product: 'fetch libfetch', comment: 'x y' }],
  ['plain', { product: 'plain' }],
  ['/1', { version: '1' }],
] as const) {
  test(`the User-Agent ${agent} is divided as echoip does it`, () => {
    const { user_agent } = jsonOf('/as/echoip/json', { observed: { ...munich, headers: { 'user-agent': agent } } });
    assert.deepEqual(user_agent, { ...expected, raw_value: agent });
  });
}

for (const [accept, isJson] of [
  [undefined, false],
  ['*/*', false],
  ['application/json', true],
  ['application/json, text/plain, */*', true],
  ['text/plain, application/json;q=0.5', false],
  ['text/html,application/xhtml+xml,*/*;q=0.8', false],
  ['application/json;q=0', false],
] as const) {
  test(`the root is ${isJson ? 'JSON' : 'the address'} for Accept ${accept}`, () => {
    const headers = accept === undefined ? {} : { accept };
    const { body, mediaType } = ask('/as/echoip', { observed: { ...munich, headers } });
    assert.equal(mediaType, isJson ? 'application/json' : 'text/plain; charset=utf-8');
    assert.equal(isJson ? JSON.parse(body).ip : body.trim(), '203.0.113.7');
  });
}

test('another address is described with the client’s own User-Agent', () => {
  const { ip, country, user_agent } = jsonOf('/as/echoip/json', { observed: stranger, named: '8.8.8.8' });
  assert.deepEqual([ip, country, user_agent], ['8.8.8.8', 'Germany', undefined]);
});

test('what is not a public address is rejected as echoip rejects it', () => {
  for (const path of ['/as/echoip', '/as/echoip/json', '/as/echoip/ip', '/as/echoip/city'])
    for (const [named, error] of [
      ['x', 'could not parse IP: x'],
      ['10.1.2.3', 'not a public IP: 10.1.2.3'],
    ] as const) {
      const { status, mediaType, body } = ask(path, { named });
      assert.deepEqual([status, mediaType], [400, 'application/json']);
      assert.deepEqual(JSON.parse(body), { status: 400, error });
    }
});

test('the health check is always the same', () => {
  assert.equal(bodyOf('/as/echoip/health'), '{"status":"OK"}');
});
