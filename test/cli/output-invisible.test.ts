/** No command prints an invisible character of what others send, or a line of theirs, in any of its forms. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CommandFlags, commands } from '../../src/cli/commands.ts';
import { notOffered } from '../../src/cli/me/client-tests.ts';
import { openOutput } from '../../src/cli/output.ts';
import { invisible } from '../../src/core/text.ts';
import { info } from '../../src/resources/info.ts';
import { hostile, hostileCheck, hostileDns, hostileIp, hostileRegistration } from '../http/page/lookup/hostile.ts';
import { seenAll } from '../observed.ts';
import { runWith } from './run-with.ts';

/** Every control and format character, and those that change the direction of text or end a line, between letters. */
const characters = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code))
  .filter((character) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(character))
  .join('a');
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const registration = hostileRegistration();
// The lookup accepts only times.
const whois = { ...registration, summary: { ...registration.summary, updated: null } };
const results = { ip: hostileIp(), whois, dns: hostileDns(), grade: hostileCheck() };

const forms: Readonly<Record<string, CommandFlags>> = {
  'as text': {},
  'in short': { short: true },
  'as JSON': { json: true },
  'as JUnit XML': { format: 'junit' },
};

const assertVisible = (text: string): void => {
  // Lines, and the columns of short output.
  const [mark] = text.replaceAll(/[\n\t]/g, '').match(new RegExp(invisible, 'u')) ?? [];
  assert.equal(mark, undefined, `U+${mark?.codePointAt(0)?.toString(16)}`);
};

/** What a command prints about a result, one of several, whose hostile texts are replaced by this one, and about an error with it. */
async function print(name: string, value: object, flags: CommandFlags, text: string) {
  let out = '';
  let err = '';
  const command = commands.find((each) => each.name === name) ?? assert.fail();
  const io = {
    environment: {},
    out: { write: (text: string) => (out += text) },
    err: { write: (text: string) => (err += text) },
  };
  const output = await openOutput({ command, args: [], flags, settings: {} as never }, io, true);
  const item = { name: text, choice: undefined, label: text };
  output.addResult(item, JSON.parse(JSON.stringify(value).replaceAll(inJson(hostile), inJson(text))), text);
  output.addFailure(item, new Error(text));
  output.end();
  return { out, err };
}

for (const [name, value] of Object.entries(results))
  for (const [form, flags] of Object.entries(forms).filter(([form]) => name === 'grade' || form !== 'as JUnit XML'))
    test(`${name} shows no invisible character ${form}`, async () => {
      const { out, err } = await print(name, value, flags, characters);
      assert.ok(out.length > 10);
      assertVisible(out);
      assertVisible(err);
    });

test('ua shows no invisible character', async () => {
  const { out, err } = await runWith(['ua', characters.replaceAll('\n', '')]);
  assert.ok(out.length > 10);
  assertVisible(out + err);
});

test('a newline in a value is printed as a space by every command', async () => {
  const { network, http, tls, userAgent, ...others } = info(seenAll, 'https://seenby.example', 0);
  const me = {
    ...others,
    resolver: notOffered,
    udp: notOffered,
    roundTrips: notOffered,
    service: 'https://seenby.example',
    ip: hostile,
    network: { ...network, asOrganization: hostile },
    http: { ...http, protocol: hostile },
    tls: { ...tls, cipher: hostile },
    userAgent: { ...userAgent, raw: hostile },
  };
  const port = { ip: hostile, port: 443, state: hostile, elapsedMs: 1 };
  const { grade, ...check } = results.grade;
  // The lines that a grade suggests are its own.
  const checks = grade.checks.map((each) => ({ ...each, suggestion: 'X-Frame-Options: DENY' }));
  const all = { ...results, me, port, grade: { ...check, grade: { ...grade, checks } } };
  for (const [name, value] of Object.entries(all))
    for (const flags of [{}, { short: true }]) {
      const forged = await print(name, value, flags, 'x\nRegistrar  y');
      assert.deepEqual(forged, await print(name, value, flags, 'x Registrar  y'));
    }
  const { err } = await runWith(['x\nseenby: y']);
  assert.match(err, /^seenby: unknown command "x seenby: y";.*\n$/);
});
