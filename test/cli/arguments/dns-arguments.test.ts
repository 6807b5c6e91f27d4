/** Arguments of `dns`, with the habits of dig and doggo. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultTypeOf, lineOf, readDnsArguments } from '../../../src/cli/arguments/dns-arguments.ts';
import { UsageError } from '../../../src/cli/commands.ts';
import { parseDnsType } from '../../../src/lookups/dns/name.ts';
import { runWith } from '../run-with.ts';

const read = (...args: string[]) => readDnsArguments(args, {}, { program: 'seenby', parseType: parseDnsType });

test('takes names and types in any order, types also joined by commas', () => {
  for (const [line, names, types] of [
    ['example.com', ['example.com'], []],
    ['example.com MX TXT', ['example.com'], ['MX', 'TXT']],
    ['mx example.com', ['example.com'], ['mx']],
    ['example.com mx,txt', ['example.com'], ['mx', 'txt']],
    ['A,AAAA example.com example.org', ['example.com', 'example.org'], ['A', 'AAAA']],
    ['_sip._tcp.example.com srv', ['_sip._tcp.example.com'], ['srv']],
    ['- mx', ['-'], ['mx']],
    ['8.8.8.8', ['8.8.8.8'], []],
    ['2001:db8::1 PTR', ['2001:db8::1'], ['PTR']],
    // Top-level domains.
    ['mx', ['mx'], []],
    ['ns mx', ['ns'], ['mx']],
    ['com ns', ['com'], ['ns']],
  ] as const) {
    const { names: foundNames, types: foundTypes } = read(...line.split(' '));
    assert.deepEqual([foundNames, foundTypes], [names, types], line);
  }
  assert.deepEqual([defaultTypeOf('8.8.8.8'), defaultTypeOf('::1'), defaultTypeOf('8.8.8')], ['PTR', 'PTR', undefined]);
});

test('rejects an unknown type before anything is queried', () => {
  for (const line of ['example.com NOPE', 'example.com mx,NOPE', 'a mx,NOPE', 'NOPE,txt example.com'])
    assert.throws(
      () => read(...line.split(' ')),
      (error) => error instanceof UsageError && /^dns NOPE: type must be one of A, /.test(error.message),
      line,
    );
});

test('takes +short, and gives the right line for other words of dig', () => {
  assert.equal(read('example.com', '+short').flags.short, true);
  assert.equal(read('example.com').flags.short, undefined);
  for (const [args, message] of [
    [
      ['@1.1.1.1', 'example.com', 'mx'],
      /^dns @1\.1\.1\.1: only the resolvers in --doh-url are queried, .*type: seenby dns example\.com MX$/,
    ],
    [['example.com', '+trace', '+short'], /^dns \+trace: .*type: seenby dns example\.com --short$/],
  ] as const)
    assert.throws(
      () => read(...args),
      (error) => error instanceof UsageError && message.test(error.message),
    );
});

test('gives the right line for options of dig and doggo', () => {
  for (const [args, line] of [
    ['-x 8.8.8.8', 'seenby dns 8.8.8.8 PTR'],
    ['-t mx example.com', 'seenby dns example.com MX'],
    ['example.com --type=MX --nameserver 1.1.1.1', 'seenby dns example.com MX'],
    ['-q example.com -t A -t AAAA -n @9.9.9.9', 'seenby dns example.com A AAAA'],
    ['@8.8.8.8 -p 53 example.com +short', 'seenby dns example.com --short'],
    ['-4', 'seenby dns example.com'],
  ] as const)
    assert.equal(lineOf(args.split(' '), 'seenby'), line);
});

test('the command names the right line, and fails as a usage error', async () => {
  for (const [args, message] of [
    [['-x', '8.8.8.8'], /^seenby: Unknown option '-x'; type: \.\/seenby dns 8\.8\.8\.8 PTR\n$/],
    [['@1.1.1.1', 'example.com'], /type: \.\/seenby dns example\.com\n$/],
    [['example.com', 'NOPE'], /type must be one of A, /],
  ] as const) {
    const { outcome, out, err } = await runWith(['dns', ...args]);
    assert.deepEqual([outcome, out], [{ exitCode: 2 }, '']);
    assert.match(err, message);
  }
});
