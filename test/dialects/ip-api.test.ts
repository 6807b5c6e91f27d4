/** The shape of ip-api.com: keys and bits, lines, failures and the limit's headers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, bodyOf, jsonOf, munich, stranger } from './requests.ts';

const known = { observed: { ...munich, ip: '8.8.8.8' } };

test('the default response has the keys of ip-api in its order', () => {
  const expected =
    '{"status":"success","country":"Germany","countryCode":"DE","region":"BY","regionName":"Bavaria","city":"Munich",' +
    '"zip":"80331","lat":48.1374,"lon":11.5755,"timezone":"Europe/Berlin","isp":"Example Net","org":"Example Net",' +
    '"as":"AS64500 Example Net","query":"8.8.8.8"}';
  assert.equal(bodyOf('/as/ip-api/json', known), expected);
  assert.equal(bodyOf('/as/ip-api/json', { ...known, query: 'fields=61439&lang=de' }), expected);
  assert.equal(bodyOf('/as/ip-api/json/{ip}', { named: '8.8.8.8' }), expected);
});

test('unknown texts are empty, unknown numbers are absent', () => {
  assert.deepEqual(jsonOf('/as/ip-api/json', { observed: stranger }), {
    status: 'success',
    country: '',
    countryCode: '',
    region: '',
    regionName: '',
    city: '',
    zip: '',
    timezone: '',
    isp: '',
    org: '',
    as: '',
    query: '2001:4860:4860::8888',
  });
});

test('a list of names and the sum of their bits select the same keys', () => {
  for (const [names, sum] of [
    ['query', 8192],
    ['status,countryCode,as', 16_384 + 2 + 2048],
    [
      'continent,continentCode,district,asname,reverse,offset',
      1_048_576 + 2_097_152 + 524_288 + 4_194_304 + 4096 + 33_554_432,
    ],
  ] as const) {
    const byNames = jsonOf('/as/ip-api/json', { ...known, query: `fields=${names}` });
    assert.deepEqual(Object.keys(byNames).sort(), names.split(',').sort());
    assert.deepEqual(jsonOf('/as/ip-api/json', { ...known, query: `fields=${sum}` }), byNames);
  }
  const all = jsonOf('/as/ip-api/json', { ...known, query: 'fields=66846719' });
  assert.deepEqual([all.continent, all.continentCode, all.offset], ['Europe', 'EU', 3600]);
  assert.ok(!('mobile' in all) && !('proxy' in all) && !('hosting' in all) && !('currency' in all));
  assert.deepEqual(jsonOf('/as/ip-api/json', { ...known, query: 'fields=unknown,mobile' }), {});
});

test('the offset is that of the time zone, and absent for an unknown one', () => {
  const offsetIn = (timezone: string) =>
    jsonOf('/as/ip-api/json', {
      observed: { ...known.observed, location: { ...munich.location, timezone } },
      query: 'fields=offset',
    }).offset;
  const zones = ['America/New_York', 'Asia/Kathmandu', 'UTC', 'Europe/Nowhere'];
  assert.deepEqual(zones.map(offsetIn), [-18_000, 20_700, 0, undefined]);
});

test('an address that is not public fails, with status 200', () => {
  for (const [named, message] of [
    ['10.1.2.3', 'private range'],
    ['127.0.0.1', 'reserved range'],
    ['example.com', 'invalid query'],
  ] as const) {
    const { status, body } = ask('/as/ip-api/json/{ip}', { named });
    assert.equal(status, 200);
    assert.equal(body, JSON.stringify({ status: 'fail', message, query: named }));
  }
  assert.equal(bodyOf('/as/ip-api/json', { query: 'fields=query,city' }), '{"query":"203.0.113.7"}');
});

test('lines and CSV have the values alone, in the same order', () => {
  const query = 'fields=query,org,countryCode,status';
  const observed = {
    ...known.observed,
    autonomousSystem: { ...known.observed.autonomousSystem, asn: 1, asOrganization: 'A, "B"\nC' },
  };
  assert.equal(bodyOf('/as/ip-api/line', { observed, query }), 'success\nDE\nA, "B" C\n8.8.8.8\n');
  assert.equal(bodyOf('/as/ip-api/csv', { observed, query }), 'success,DE,"A, ""B"" C",8.8.8.8\n');
  assert.equal(bodyOf('/as/ip-api/line/{ip}', { named: '8.8.8.8', query: 'fields=countryCode' }), 'DE\n');
  assert.equal(bodyOf('/as/ip-api/csv/{ip}', { named: '8.8.8.8', query: 'fields=countryCode' }), 'DE\n');
});

test('a callback wraps the JSON', () => {
  const { body, mediaType } = ask('/as/ip-api/json', { ...known, query: 'fields=query&callback=f' });
  assert.deepEqual([body, mediaType], ['f({"query":"8.8.8.8"});', 'application/javascript']);
  assert.throws(() => ask('/as/ip-api/json', { query: 'callback=a(b)' }), { code: 'invalid_query' });
});

test('the headers of the limit state what is left of it, if there is one', () => {
  const decision = { isAllowed: true, remaining: 44, resetSeconds: 59 };
  for (const path of ['/as/ip-api/json', '/as/ip-api/line', '/as/ip-api/csv']) {
    assert.deepEqual(ask(path, { decision }).headers, { 'X-Ttl': '59', 'X-Rl': '44' });
    assert.equal(ask(path).headers, undefined);
  }
});
