/** Command lines without a command run the one that fits; a mistyped command is never looked up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandFor } from '../../../src/cli/arguments/bare-arguments.ts';
import { commands, UsageError } from '../../../src/cli/commands.ts';
import { runWith } from '../run-with.ts';

test('selects the command by what the argument is', async () => {
  for (const [typed, name, args] of [
    ['8.8.8.8', 'ip', ['8.8.8.8']],
    ['2606:4700::1111', 'ip', ['2606:4700::1111']],
    ['[2606:4700::1111]', 'ip', ['2606:4700::1111']],
    ['8.8.8.8 1.1.1.1', 'ip', ['8.8.8.8', '1.1.1.1']],
    ['8.8.8.0/24', 'whois', ['8.8.8.0/24']],
    ['AS15169', 'whois', ['AS15169']],
    ['asn15169', 'whois', ['asn15169']],
    ['AS 15169', 'whois', ['AS15169']],
    ['as 15169 13335', 'whois', ['AS15169', 'AS13335']],
    ['@1.1.1.1 example.com MX', 'dns', ['@1.1.1.1', 'example.com', 'MX']],
    ['example.com +short', 'dns', ['example.com', '+short']],
    ['Example.com.', 'domain', ['example.com']],
    ['bücher.example', 'domain', ['xn--bcher-kva.example']],
    ['xn--e1afmkfd.xn--p1ai', 'domain', ['xn--e1afmkfd.xn--p1ai']],
    ['пример.рф.', 'domain', ['xn--e1afmkfd.xn--p1ai']],
    ['例え。テスト', 'domain', ['xn--r8jz45g.xn--zckzah']],
    ['example.com mx txt', 'dns', ['example.com', 'mx', 'txt']],
    ['_dmarc.example.com', 'dns', ['_dmarc.example.com', 'TXT']],
    ['8.8.8.8.in-addr.arpa', 'dns', ['8.8.8.8.in-addr.arpa', 'PTR']],
    ['https://example.com', 'grade', ['https://example.com']],
    ['example.com/login', 'grade', ['https://example.com/login']],
    ['mail.example.com:993', 'cert', ['mail.example.com:993']],
  ] as const) {
    const found = await commandFor(typed.split(' '));
    assert.deepEqual([found?.command.name, found?.args], [name, args], typed);
  }
});

test('ignores spaces around an argument, as variables of scripts have them', async () => {
  assert.deepEqual((await commandFor([' example.com\n']))?.args, ['example.com']);
});

test('looks up no word without a dot or a colon, so that a mistyped command stays one', async () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  const names = commands.flatMap(({ name }) => name.split(' '));
  // All that differ from a command by one letter: left out, swapped with the next one, or added.
  const mistyped = names.flatMap((name) =>
    [...name].flatMap((letter, at) => [
      name.slice(0, at) + name.slice(at + 1),
      name.slice(0, at) + (name[at + 1] ?? '') + letter + name.slice(at + 2),
      ...[...letters].map((each) => name.slice(0, at) + each + name.slice(at)),
    ]),
  );
  assert.ok(mistyped.length > 1000);
  for (const word of [...mistyped, 'localhost', 'com', '15169', '-', '.', ':', 'a b.c'])
    assert.equal(await commandFor([word, 'example.com']), null, word);
});

test('states what is wrong with words that are looked up, before anything is sent', async () => {
  for (const [typed, message] of [
    ['999.1.1.1', /^999\.1\.1\.1: Send an IPv4 address/],
    ['8.8.8.8 example.com', /^8\.8\.8\.8 is for the command ip, example\.com for domain; run one after the other$/],
    ['example.com whois', /^whois: the command comes first; type: whois example\.com$/],
    ['ftp://example.com', /^ftp:\/\/example\.com: /],
  ] as const)
    await assert.rejects(
      commandFor(typed.split(' ')),
      (error) => error instanceof UsageError && message.test(error.message),
      typed,
    );
  const dig = await runWith(['@1.1.1.1', 'example.com', 'MX']);
  assert.deepEqual(dig.outcome, { exitCode: 2 });
  assert.match(dig.err, /^seenby: dns @1\.1\.1\.1: only the resolvers .*; type: \.\/seenby dns example\.com MX\n$/);
  const { outcome, err } = await runWith(['8.8.8.8', '--fail-below', 'B']);
  assert.deepEqual(outcome, { exitCode: 2 });
  assert.match(err, /^seenby: --fail-below: not a flag of ip; /);
  assert.match((await runWith(['8.8.8.8', '--help'])).out, /^Usage: \.\/seenby ip /);
});
