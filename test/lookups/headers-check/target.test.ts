/** What may be asked for its headers is told from what may not before anything is sent. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '../../../src/core/errors.ts';
import { targetOf } from '../../../src/lookups/headers-check/target.ts';

const own = ['seenby.example', 'localhost'];

const refused = (text: string, base?: string): [code: string, message: string] => {
  try {
    const { href } = targetOf(text, own, base === undefined ? undefined : new URL(base));
    return assert.fail(`asks ${href}`);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [error.code, error.message];
  }
};

test('a public http or https URL is asked, without its fragment', () => {
  for (const [given, asked] of [
    ['https://example.com', 'https://example.com/'],
    [' http://example.com:80/a?b=c#d ', 'http://example.com/a?b=c'],
    ['https://example.com:443/', 'https://example.com/'],
    ['http://example.com:443/', 'http://example.com:443/'],
    ['HTTPS://EXAMPLE.com/A', 'https://example.com/A'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://1.1.1.1/', 'https://1.1.1.1/'],
    ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
  ])
    assert.equal(targetOf(given ?? '', own).href, asked);
});

describe('invalid_url', () => {
  for (const [given, says] of [
    ['', /whole URL/],
    ['example.com', /https:\/\/ in front/],
    ['example.com/path', /https:\/\/ in front/],
    ['//example.com/', /whole URL/],
    ['https://', /whole URL/],
    ['https://exa mple.com/', /whole URL/],
    ['https://example.com:99999/', /whole URL/],
    ['ftp://example.com/', /not ftp:/],
    ['file:///etc/passwd', /not file:/],
    ['javascript:alert(1)', /not javascript:/],
    ['data:text/html,x', /not data:/],
    ['https://user@example.com/', /without user name/],
    ['https://user:password@example.com/', /without user name/],
    ['https://:password@example.com/', /without user name/],
    ['https://example.com:8443/', /not 8443/],
    ['http://example.com:22/', /not 22/],
    ['http://10.0.0.5:8080/', /not 8080/],
    ['https://example.com/\u0000', /control characters/],
    ['https://exam\tple.com/', /control characters/],
    ['https://example.com/\r\nHost: x', /control characters/],
    [`https://example.com/${'a'.repeat(2048)}`, /at most 2048/],
  ] as const)
    test(`is said of ${JSON.stringify(given.slice(0, 40))}`, () => {
      const [code, message] = refused(given);
      assert.equal(code, 'invalid_url');
      assert.match(message, says);
    });
});

test('the service itself is refused at any port, and before it is called private', () => {
  for (const given of [
    'https://seenby.example/',
    'http://SEENBY.example./json',
    'http://localhost:8080/',
    'http://localhost/',
  ])
    assert.equal(refused(given)[0], 'invalid_target', given);
});

test('private addresses and local names are refused', () => {
  for (const given of [
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://169.254.169.254/latest/',
    'http://db.internal/',
  ])
    assert.equal(refused(given)[0], 'blocked_address', given);
});

test('a redirect is held to the same rules', () => {
  const from = 'https://example.com/a/b';
  assert.equal(targetOf('../c#d', own, new URL(from)).href, 'https://example.com/c');
  assert.equal(targetOf('//other.example/', own, new URL(from)).href, 'https://other.example/');
  for (const [location, code] of [
    ['//10.0.0.5/', 'blocked_address'],
    ['http://[::ffff:127.0.0.1]/', 'blocked_address'],
    ['ftp://example.com/', 'invalid_url'],
    ['https://example.com:8443/', 'invalid_url'],
    ['//user@example.com/', 'invalid_url'],
    ['https://[broken/', 'invalid_url'],
    ['https://seenby.example/ip', 'invalid_target'],
  ] as const)
    assert.equal(refused(location, from)[0], code, location);
});
