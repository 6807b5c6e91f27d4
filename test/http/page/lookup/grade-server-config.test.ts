/** Suggested header lines as configuration of nginx, Caddy and Express. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  combinedConfigOf as combine,
  serverConfigOf as convert,
} from '../../../../src/http/page/lookup/server-config.ts';

const serverConfigOf = (lines: string, ...sent: string[]) => convert(lines, new Set(sent));
const combinedConfigOf = (suggestions: readonly string[]) => combine(suggestions, new Set());

test('converts a header line, with quotes escaped', () => {
  assert.deepEqual(serverConfigOf("Content-Security-Policy: default-src 'none'"), {
    nginx: 'add_header Content-Security-Policy "default-src \'none\'" always;',
    Caddy: 'header Content-Security-Policy "default-src \'none\'"',
    Express: 'res.set("Content-Security-Policy", "default-src \'none\'");',
  });
  const { nginx, Caddy: caddy, Express: express } = serverConfigOf('X-Test: a"b\\c');
  assert.equal(nginx, 'add_header X-Test "a\\"b\\\\c" always;');
  assert.equal(caddy, 'header X-Test "a\\"b\\\\c"');
  assert.equal(express, 'res.set("X-Test", "a\\"b\\\\c");');
});

test('replaces a header that an application behind the server sends; test/deploy/server-config.test.ts shows the effect', () => {
  const { nginx, Caddy: caddy, Express: express } = serverConfigOf('X-Test: a', 'x-test');
  assert.equal(nginx, 'proxy_hide_header X-Test;\nfastcgi_hide_header X-Test;\nadd_header X-Test "a" always;');
  assert.equal(caddy, 'header {\n\tdefer\n\tX-Test "a"\n}');
  assert.equal(express, serverConfigOf('X-Test: a').Express);
});

test('omits a server whose syntax cannot express a value', () => {
  assert.equal(serverConfigOf('X-Test: $host').nginx, null);
  assert.equal(serverConfigOf('X-Test: {host}').Caddy, null);
  assert.deepEqual(serverConfigOf('Set-Cookie: a.b=…; Secure; SameSite=Lax'), {
    nginx: null,
    Caddy: null,
    Express: null,
  });
});

test('writes no nonce into configuration, which is the same for each response', () => {
  const line = "Content-Security-Policy: script-src 'nonce-…'";
  assert.deepEqual(serverConfigOf(line), { nginx: null, Caddy: null, Express: null });
  const { nginx, Express: express, 'Header lines': lines } = combinedConfigOf([line]);
  const reason =
    'Content-Security-Policy: the nonce must be new in each response; set the header where the page is rendered';
  assert.deepEqual([nginx, express, lines], [`# ${reason}`, `// ${reason}`, line]);
});

test('converts cookies, one line each', () => {
  const {
    nginx,
    Caddy: caddy,
    Express: express,
  } = serverConfigOf(
    'Set-Cookie: sid=…; Path=/; Secure; HttpOnly; SameSite=Lax\nSet-Cookie: a=…; Secure; SameSite=Strict',
  );
  assert.match(nginx ?? '', /^proxy_cookie_flags sid secure httponly samesite=lax;$/m);
  assert.match(nginx ?? '', /^proxy_cookie_flags a secure samesite=strict;$/m);
  assert.match(caddy ?? '', /^header_down Set-Cookie "\^\(sid=\.\*\)\$" "\$1; Secure; HttpOnly; SameSite=lax"$/m);
  assert.match(
    express ?? '',
    /^res\.cookie\('a', value, \{ \.{3}options, secure: true, httpOnly: false, sameSite: 'strict' \}\);$/m,
  );
});

test('converts a redirect to one for every path', () => {
  const { nginx, Caddy: caddy, Express: express } = serverConfigOf('Location: https://a.example/x');
  assert.match(nginx ?? '', /^return 301 https:\/\/\$host\$request_uri;$/m);
  assert.match(caddy ?? '', /^redir https:\/\/\{host\}\{uri\} permanent$/m);
  // What follows would set headers of a response that is already sent.
  assert.match(express ?? '', /^if \(req\.protocol === 'http'\) return res\.redirect\(301, /);
});

test('combines several checks into one block for each server: each header once, and what belongs elsewhere last', () => {
  const {
    nginx,
    Caddy: caddy,
    Express: express,
    'Header lines': lines,
  } = combinedConfigOf([
    'Location: https://a.example/x',
    "Content-Security-Policy: default-src 'none'",
    'Set-Cookie: sid=…; Secure; SameSite=Lax',
    'X-Content-Type-Options: nosniff',
    'X-Content-Type-Options: nosniff',
    'X-Test: $host',
    'Set-Cookie: b=…; Secure; SameSite=Lax',
  ]);
  assert.equal(
    nginx,
    [
      `add_header Content-Security-Policy "default-src 'none'" always;`,
      'add_header X-Content-Type-Options "nosniff" always;',
      '# X-Test: the syntax of nginx cannot express this value; set it elsewhere',
      '',
      '# in the server block for port 80',
      'return 301 https://$host$request_uri;',
      '',
      '# in the location with proxy_pass',
      'proxy_cookie_flags sid secure samesite=lax;',
      'proxy_cookie_flags b secure samesite=lax;',
    ].join('\n'),
  );
  assert.match(
    caddy ?? '',
    /^header Content-Security-Policy .*\nheader X-Content-Type-Options "nosniff"\nheader X-Test/,
  );
  assert.equal(express?.match(/res\.set\(/g)?.length, 3);
  assert.equal(lines?.split('\n').length, 6);
});
