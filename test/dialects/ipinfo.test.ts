/** The shape of ipinfo.io: its JSON, single values, and addresses without data. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, bodyOf, jsonOf, munich, stranger } from './requests.ts';

const known = { observed: { ...munich, ip: '8.8.8.8' } };

test('the JSON has the keys of ipinfo in its order', () => {
  const expected = `{
  "ip": "8.8.8.8",
  "city": "Munich",
  "region": "Bavaria",
  "country": "DE",
  "loc": "48.1374,11.5755",
  "org": "AS64500 Example Net",
  "postal": "80331",
  "timezone": "Europe/Berlin"
}`;
  for (const path of ['/as/ipinfo', '/as/ipinfo/json']) assert.equal(bodyOf(path, known), expected);
  for (const path of ['/as/ipinfo/{ip}', '/as/ipinfo/{ip}/json'])
    assert.equal(bodyOf(path, { observed: stranger, named: '8.8.8.8' }), expected);
});

test('values that are not known are absent, but not the country', () => {
  assert.deepEqual(jsonOf('/as/ipinfo', { observed: stranger }), { ip: '2001:4860:4860::8888', country: '' });
});

for (const [field, value] of Object.entries({
  ip: '8.8.8.8',
  city: 'Munich',
  region: 'Bavaria',
  country: 'DE',
  loc: '48.1374,11.5755',
  org: 'AS64500 Example Net',
  postal: '80331',
  timezone: 'Europe/Berlin',
  hostname: '',
})) {
  test(`${field} is a text without a newline, empty if it is not known`, () => {
    assert.equal(bodyOf(`/as/ipinfo/${field}`, known), value);
    assert.equal(bodyOf(`/as/ipinfo/{ip}/${field}`, { observed: stranger, named: '8.8.8.8' }), value);
    assert.equal(bodyOf(`/as/ipinfo/${field}`, { observed: stranger }), field === 'ip' ? stranger.ip : '');
    assert.equal(bodyOf(`/as/ipinfo/{ip}/${field}`, { named: '10.1.2.3' }), field === 'ip' ? '10.1.2.3' : '');
  });
}

test('a location with one coordinate has none', () => {
  for (const missing of ['latitude', 'longitude']) {
    const observed = { ...known.observed, location: { ...munich.location, [missing]: null } };
    assert.equal(bodyOf('/as/ipinfo/loc', { observed }), '');
    assert.equal('loc' in jsonOf('/as/ipinfo', { observed }), false, missing);
  }
});

test('an address that is not public is a bogon', () => {
  assert.equal(bodyOf('/as/ipinfo/{ip}', { named: '10.1.2.3' }), '{\n  "ip": "10.1.2.3",\n  "bogon": true\n}');
  assert.deepEqual(jsonOf('/as/ipinfo'), { ip: '203.0.113.7', bogon: true });
});

test('a text that is not an address is not found', () => {
  for (const path of ['/as/ipinfo/{ip}', '/as/ipinfo/{ip}/json', '/as/ipinfo/{ip}/city']) {
    const { status, body, mediaType } = ask(path, { named: 'x' });
    assert.deepEqual([status, mediaType], [404, 'application/json']);
    const error = { title: 'Wrong ip', message: 'Please provide a valid IP address' };
    assert.deepEqual(JSON.parse(body), { status: 404, error });
  }
});

test('a callback wraps the JSON, as the snippet for web pages expects', () => {
  for (const path of ['/as/ipinfo', '/as/ipinfo/json']) {
    const { body, mediaType } = ask(path, { ...known, query: 'callback=jQuery111_1' });
    assert.equal(body, `jQuery111_1(${bodyOf(path, known)});`);
    assert.equal(mediaType, 'application/javascript');
  }
  assert.throws(() => ask('/as/ipinfo', { query: 'callback=a(b)' }), { code: 'invalid_query' });
});
