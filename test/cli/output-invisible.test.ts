/** No command prints an invisible character of what others send, in any of its forms. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CommandFlags, commands } from '../../src/cli/commands.ts';
import { openOutput } from '../../src/cli/output.ts';
import { invisible } from '../../src/core/text.ts';
import { hostile, hostileCheck, hostileDns, hostileIp, hostileRegistration } from '../http/page/lookup/hostile.ts';
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

for (const [name, value] of Object.entries(results))
  for (const [form, flags] of Object.entries(forms).filter(([form]) => name === 'grade' || form !== 'as JUnit XML'))
    test(`${name} shows no invisible character ${form}`, async () => {
      let out = '';
      let err = '';
      const command = commands.find((each) => each.name === name) ?? assert.fail();
      const io = {
        environment: {},
        out: { write: (text: string) => (out += text) },
        err: { write: (text: string) => (err += text) },
      };
      const output = await openOutput({ command, args: [], flags, settings: {} as never }, io, true);
      const item = { name: characters, choice: undefined, label: characters };
      output.addResult(
        item,
        JSON.parse(JSON.stringify(value).replaceAll(inJson(hostile), inJson(characters))),
        characters,
      );
      output.addFailure(item, new Error(characters));
      output.end();
      assert.ok(out.length > 10);
      assertVisible(out);
      assertVisible(err);
    });

test('ua shows no invisible character', async () => {
  const { out, err } = await runWith(['ua', characters.replaceAll('\n', '')]);
  assert.ok(out.length > 10);
  assertVisible(out + err);
});
