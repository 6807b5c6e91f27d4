/** The version of a tool or bot. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statedVersion } from '../../../src/client/bots/stated-version.ts';
import { parseUserAgent } from '../../../src/client/user-agent.ts';
import { fixtures } from '../fixtures.ts';

test('reads the version after the name, in every form in which tools state it', () => {
  for (const [raw, version] of [
    ['curl/8.16.0', '8.16.0'],
    ['git/2.47.0.windows.2', '2.47.0.windows.2'],
    ['cargo 1.82.0', '1.82.0'],
    ['NuGet Command Line/6.11.1 (Microsoft Windows NT 10.0.22631.0)', '6.11.1'],
    ['IntelliJ HTTP Client/PyCharm 2024.3', '2024.3'],
    ['R (4.4.2 x86_64-pc-linux-gnu x86_64 linux-gnu)', '4.4.2'],
    ['kubectl/v1.31.2 (linux/amd64) kubernetes/5864a46', '1.31.2'],
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', '2.1'],
    ['got (https://github.com/sindresorhus/got)', null],
    ['vscode-restclient', null],
  ] as const)
    assert.equal(statedVersion(raw, parseUserAgent(raw).bot?.name ?? ''), version, raw);
  assert.equal(statedVersion('curl/8', 'Wget'), null);
});

test('a version begins with a digit and has no spaces', () => {
  const named = fixtures.flatMap(({ raw }) => {
    const name = parseUserAgent(raw).bot?.name;
    return name === undefined ? [] : [{ raw, version: statedVersion(raw, name) }];
  });
  assert.ok(named.filter(({ version }) => version !== null).length >= 300);
  for (const { raw, version } of named) assert.match(version ?? '0', /^\d[\w.+-]*$/, raw);
});
