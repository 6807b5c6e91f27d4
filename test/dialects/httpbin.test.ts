/** The shape of httpbin: headers, parameters and URL. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf, jsonOf, munich, stranger } from './requests.ts';

test('the address is the origin, alone', () => {
  const observed = { ...munich, headers: { ...munich.headers, 'x-forwarded-for': '198.51.100.1' } };
  assert.equal(bodyOf('/as/httpbin/ip', { observed }), '{\n  "origin": "203.0.113.7"\n}\n');
});

test('names of headers have capitals and are sorted, repeated ones are joined by a comma', () => {
  const headerFields = [
    [':method', 'GET'],
    ['x-twice', 'a'],
    ['x-twice', 'b, c'],
    ['cookie', 'a=1'],
    ['cookie', 'b=2'],
  ] as const;
  const headers = { 'x-twice': 'a, b, c', cookie: 'a=1; b=2', 'sec-ch-ua': '"A"', dnt: '1', ...munich.headers };
  const observed = { ...munich, headers, handshake: { ...munich.handshake, headerFields }, edgeHeaders: { via: '1' } };
  const expected = {
    Accept: '*/*',
    Cookie: 'a=1; b=2',
    Dnt: '1',
    Host: 'seenby.example',
    'Sec-Ch-Ua': '"A"',
    'User-Agent': 'curl/8.5.0',
    'X-Twice': 'a,b, c',
  };
  assert.equal(bodyOf('/as/httpbin/headers', { observed }), `${JSON.stringify({ headers: expected }, null, 2)}\n`);
});

test('the User-Agent is null without one', () => {
  assert.equal(bodyOf('/as/httpbin/user-agent'), '{\n  "user-agent": "curl/8.5.0"\n}\n');
  assert.deepEqual(jsonOf('/as/httpbin/user-agent', { observed: stranger }), { 'user-agent': null });
});

test('/get returns parameters, headers, address and the whole URL', () => {
  const seen = jsonOf('/as/httpbin/get', { query: 'b=1&a=2&b=3&c&__proto__=x&%C3%A4=%20' });
  assert.deepEqual(Object.keys(seen), ['args', 'headers', 'origin', 'url']);
  assert.deepEqual(Object.entries(seen.args), [
    ['__proto__', 'x'],
    ['a', '2'],
    ['b', ['1', '3']],
    ['c', ''],
    ['ä', ' '],
  ]);
  assert.deepEqual(Object.keys(seen.headers), ['Accept', 'Host', 'User-Agent']);
  assert.deepEqual(
    [seen.origin, seen.url],
    ['203.0.113.7', 'https://seenby.example/as/httpbin/get?b=1&a=2&b=3&c&__proto__=x&%C3%A4=%20'],
  );
  assert.equal(jsonOf('/as/httpbin/get').url, 'https://seenby.example/as/httpbin/get');
});
