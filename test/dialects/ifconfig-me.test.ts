/** The shape of ifconfig.me: all values as lines and as JSON. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf, jsonOf, munich, stranger } from './requests.ts';

test('all values are always 14 lines, in the order of the service', () => {
  assert.equal(
    bodyOf('/as/ifconfig.me/all'),
    [
      'ip_addr: 203.0.113.7',
      'remote_host: unavailable',
      'user_agent: curl/8.5.0',
      'port: 38542',
      'language: ',
      'referer: ',
      'connection: ',
      'keep_alive: ',
      'method: GET',
      'encoding: gzip',
      'mime: */*',
      'charset: ',
      'via: ',
      'forwarded: ',
      '',
    ].join('\n'),
  );
  assert.equal(bodyOf('/as/ifconfig.me/all', { observed: stranger }).split('\n').length, 15);
});

test('the JSON omits empty values, except for those that a client requires', () => {
  assert.equal(
    bodyOf('/as/ifconfig.me/all.json'),
    '{"ip_addr":"203.0.113.7","remote_host":"unavailable","user_agent":"curl/8.5.0","port":38542,"method":"GET","encoding":"gzip","mime":"*/*","via":"","forwarded":""}',
  );
  assert.deepEqual(jsonOf('/as/ifconfig.me/all.json', { observed: stranger }), {
    ip_addr: '2001:4860:4860::8888',
    remote_host: 'unavailable',
    method: 'GET',
    mime: '',
    via: '',
    forwarded: '',
  });
});

test('headers that the client sent are shown, never those of a proxy', () => {
  const headers = { ...munich.headers, 'x-forwarded-for': '198.51.100.1', 'accept-language': 'de' };
  const observed = { ...munich, headers, edgeHeaders: { via: '1.1 proxy' } };
  assert.equal(bodyOf('/as/ifconfig.me/forwarded', { observed }), '198.51.100.1');
  assert.equal(bodyOf('/as/ifconfig.me/lang', { observed }), 'de');
  assert.equal(jsonOf('/as/ifconfig.me/all.json', { observed }).via, '');
});
