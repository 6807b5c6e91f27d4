/** Targets of a header check are validated before any packet is sent. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '../../../src/core/errors.ts';
import { normalizeHost, targetOf, withScheme } from '../../../src/lookups/headers-check/target.ts';

const own = { ownHosts: ['seenby.example', 'localhost'] };

const rejected = (text: string, base?: string): [code: string, message: string] => {
  try {
    const { href } = targetOf(text, own, base === undefined ? undefined : new URL(base));
    return assert.fail(`accepted ${href}`);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [error.code, error.message];
  }
};

test('accepts a public http or https URL, without its fragment', () => {
  for (const [given, requests] of [
    ['https://example.com', 'https://example.com/'],
    [' http://example.com:80/a?b=c#d ', 'http://example.com/a?b=c'],
    ['https://example.com:443/', 'https://example.com/'],
    ['http://example.com:443/', 'http://example.com:443/'],
    ['HTTPS://EXAMPLE.com/A', 'https://example.com/A'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://1.1.1.1/', 'https://1.1.1.1/'],
    ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
  ])
    assert.equal(targetOf(given ?? '', own).href, requests);
});

test('completes the scheme that a person typed, and adds the one of HTTPS', () => {
  for (const [typed, url] of [
    [' example.com/a ', 'https://example.com/a'],
    ['example.com:443', 'https://example.com:443'],
    ['localhost:80', 'https://localhost:80'],
    ['https://example.com', 'https://example.com'],
    ['http:/example.com', 'http://example.com'],
    ['HTTPS//example.com', 'HTTPS://example.com'],
    ['http:example.com', 'http://example.com'],
    // Hosts.
    ['http.example.com', 'https://http.example.com'],
    ['http:8080', 'https://http:8080'],
    ['ftp://example.com', 'ftp://example.com'],
    ['https:///', 'https:///'],
    ['', ''],
  ] as const)
    assert.equal(withScheme(typed), url);
});

describe('invalid_url', () => {
  for (const [given, expected] of [
    ['', /complete URL/],
    ['example.com', /starting with https:\/\//],
    ['example.com/path', /starting with https:\/\//],
    ['//example.com/', /complete URL/],
    ['example.com:8080/x', /starting with https/],
    ['https://', /has no host name/],
    ['http://:80/', /has no host name/],
    ['https://exa mple.com/', /host name "exa mple.com" contains a space/],
    ['https://example.com:99999/', /Port "99999" is not allowed; use 80 or 443/],
    ['https://example.com:abc/', /port "abc" is not a number; use 80 or 443/],
    ['http://[fe80::1%25eth0]/', /"\[fe80::1%25eth0\]" has a zone identifier/],
    ['http://[2001:db8/', /"\[2001:db8" is not a valid IPv6 address/],
    ['http://[1:2]/', /not a valid IPv6 address/],
    ['http://256.1.1.1/', /"256\.1\.1\.1" is not a valid IPv4 address/],
    ['http://a<b.example/', /"a<b\.example" is not a valid host name/],
    ['http://a.example,b.example/', /"a\.example,b\.example" is not a valid host name/],
    [`http://a b${'c'.repeat(200)}/`, /"a bc{97}…" contains a space/],
    ['ftp://example.com/', /ftp: is not/],
    ['file:///etc/passwd', /file: is not/],
    ['javascript:alert(1)', /javascript: is not/],
    ['data:text/html,x', /data: is not/],
    ['https://user@example.com/', /without user name and password: try https:\/\/example\.com\/\.$/],
    ['https://user:password@example.com/', /without user name/],
    ['https://:password@example.com/', /without user name/],
    ['https://example.com:8443/', /Port 8443 is not allowed/],
    ['http://example.com:22/', /Port 22 is not allowed/],
    ['http://10.0.0.5:8080/', /Port 8080 is not allowed/],
    ['https://example.com/\u0000', /control characters/],
    ['https://exam\tple.com/', /control characters/],
    ['https://example.com/\r\nHost: x', /control characters/],
    [`https://example.com/${'a'.repeat(2048)}`, /at most 2048/],
  ] as const)
    test(`for ${JSON.stringify(given.slice(0, 40))}`, () => {
      const [code, message] = rejected(given);
      assert.equal(code, 'invalid_url');
      assert.match(message, expected);
    });
});

test('rejects the service itself at any port, before it checks for private addresses', () => {
  for (const given of [
    'https://seenby.example/',
    'http://SEENBY.example./json',
    'http://localhost:8080/',
    'http://localhost/',
  ])
    assert.equal(rejected(given)[0], 'invalid_target', given);
});

test('rejects private addresses and local names', () => {
  for (const given of [
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://169.254.169.254/latest/',
    'http://db.internal/',
  ])
    assert.equal(rejected(given)[0], 'blocked_address', given);
});

test('repeats at most 100 characters of a URL', () => {
  const long = 'a'.repeat(1500);
  for (const given of [`${long}:x`, `http://${long}^/`, `http://a.example:${long}/`, `http://[${long}]/`])
    assert.ok(!rejected(given)[1].includes('a'.repeat(101)), given);
});

test('applies the same rules to a redirect', () => {
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
    assert.equal(rejected(location, from)[0], code, location);
});

test('recognizes the own address in each form that reaches it', () => {
  const ownHosts = ['https://8.8.4.4/', 'https://[2001:4860:4860::8888]/'].map((url) =>
    normalizeHost(new URL(url).hostname),
  );
  for (const host of ['8.8.4.4', '0x08080404', '[::ffff:8.8.4.4]', '[64:ff9b::8.8.4.4]', '[2001:4860:4860:0::8888]'])
    assert.throws(() => targetOf(`https://${host}/`, { ownHosts }), { code: 'invalid_target' }, host);
  assert.equal(targetOf('https://[64:ff9b::8.8.8.8]/', { ownHosts }).href, 'https://[64:ff9b::808:808]/');
});
