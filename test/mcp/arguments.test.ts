/** Arguments of tool calls: what clients add to them is ignored, and what was probably meant is named. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import * as z from 'zod';
import { ServiceError } from '../../src/core/errors.ts';
import { readArguments } from '../../src/mcp/arguments.ts';
import { definitionOf } from '../../src/mcp/tool.ts';
import { tools } from '../../src/mcp/tools.ts';

const inputSchema = z.object({
  name: z.string().describe('A name.'),
  user_agent: z.string().optional(),
  type: z.string().optional(),
  include_raw: z.boolean().optional(),
});
const read = (sent: unknown, more: Omit<Parameters<typeof readArguments>[1], 'inputSchema'> = {}) =>
  readArguments(sent, { inputSchema, ...more }, { publicUrl: null, contact: null });

/** What automation platforms and agents are known to add to the arguments of a model (2026-11). */
const additions = {
  n8n: { toolCallId: 'call_1', sessionId: 's', action: 'sendMessage', chatInput: 'Hello' },
  gemini: { wait_for_previous: true },
  others: { _meta: {}, tool: 'x', id: 1, reasoning: 'because', thought: '', explanation: 'x', security_risk: 'LOW' },
};

describe('members that a tool does not know', () => {
  for (const [client, added] of Object.entries(additions))
    test(`are ignored without a remark if a client adds them (${client})`, () => {
      for (const sent of [
        { name: 'a', ...added },
        { ...added, name: 'a' },
      ])
        assert.deepEqual(read(sent), { input: { name: 'a' }, remarks: [] });
    });

  test('are named if they are close to a known one that is absent', () => {
    for (const [unknown, meant] of [
      ...['userAgent', 'User-Agent', 'useragent', 'USER_AGENT', 'user_agnet', 'usr_agent', 'ua', 'agent'].map(
        (each) => [each, 'user_agent'] as const,
      ),
      ...['user_agent_string', 'userAgentHeader'].map((each) => [each, 'user_agent'] as const),
      ...['types', 'tpye', 'recordType', 'record_type', 'TYPE'].map((each) => [each, 'type'] as const),
      ...['includeRaw', 'raw', 'include-raw', 'includ_raw'].map((each) => [each, 'include_raw'] as const),
    ]) {
      const { input, remarks } = read({ name: 'a', [unknown]: 'x' });
      assert.deepEqual(input, { name: 'a' });
      assert.deepEqual(remarks, [`The argument "${unknown}" is unknown and was ignored; use ${meant}.`]);
    }
    assert.deepEqual(read({ name: 'a', user_agent: 'b', userAgent: 'c' }).remarks, []);
    assert.deepEqual(read({ name: 'a', userAgent: null }).remarks, []);
  });

  test('are named if they ask for what the tool does not do', () => {
    const elsewhere = { names: ['ip_address'], advise: (): string | null => 'use another tool' };
    const remark = 'The argument "ipAddress" is unknown and was ignored';
    assert.deepEqual(read({ name: 'a', ipAddress: 'x' }, { elsewhere: [elsewhere] }).remarks, [
      `${remark}; use another tool.`,
    ]);
    const silent = { ...elsewhere, advise: () => null };
    assert.deepEqual(read({ name: 'a', ipAddress: 'x' }, { elsewhere: [silent] }).remarks, [`${remark}.`]);
    assert.deepEqual(read({ name: 'a', ipAddresses: 'x' }, { elsewhere: [elsewhere] }).remarks, []);
    // Its name begins with an absent argument.
    assert.deepEqual(
      read({ name: 'a', type_server: 'x' }, { elsewhere: [{ ...elsewhere, names: ['type_server'] }] }).remarks,
      ['The argument "type_server" is unknown and was ignored; use another tool.'],
    );
  });

  test('are named if models call an absent argument so', () => {
    const synonyms = { user_agent: ['input'] };
    const remark = 'The argument "input" is unknown and was ignored; use user_agent.';
    assert.deepEqual(read({ name: 'a', input: 'x' }, { synonyms }).remarks, [remark]);
    assert.deepEqual(read({ name: 'a', input: 'x', user_agent: 'b' }, { synonyms }).remarks, []);
    assert.deepEqual(read({ name: 'a', chatInput: 'x' }, { synonyms }).remarks, []);
  });

  test('are named in the error if a known one is required', () => {
    const messageOf = (sent: unknown) => {
      try {
        return JSON.stringify(read(sent));
      } catch (error) {
        assert.ok(error instanceof ServiceError);
        return error.message;
      }
    };
    assert.equal(messageOf({}), 'name is required: A name.');
    assert.equal(
      messageOf({ naem: 'a' }),
      'name is required: A name. The argument "naem" is unknown and was ignored; use name.',
    );
    assert.equal(
      messageOf({ sessionId: 's', domain: 'a' }),
      'name is required: A name. Unknown and ignored: "sessionId", "domain".',
    );
    assert.match(messageOf([]), /^The arguments must be an object that may have name, user_agent, type, include_raw\./);
  });

  test('are named at most three times, each with at most 100 characters', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`${'x'.repeat(at * 10)}_type`, at]));
    const { remarks } = read({ name: 'a', ...many });
    assert.ok(remarks.length > 0 && remarks.length <= 3);
    for (const remark of remarks) assert.doesNotMatch(remark, /x{101}/);
  });
});

test('the other names of arguments are of arguments that a tool has, and in the form that is compared', () => {
  for (const { inputSchema, synonyms = {}, elsewhere = [] } of tools) {
    for (const known of Object.keys(synonyms)) assert.ok(Object.hasOwn(inputSchema.shape, known), known);
    for (const name of [...Object.values(synonyms), ...elsewhere.map(({ names }) => names)].flat())
      assert.match(name, /^[a-z\d]+(?:_[a-z\d]+)*$/);
  }
});

/** fast-check prints it with its counterexample. */
const seed = Number(process.env.SEED ?? 20_261_128);

/** Names that clients and models might send, and those that tools have. */
const names = fc.oneof(
  fc.constantFrom(...tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.shape))),
  fc.constantFrom(...Object.values(additions).flatMap(Object.keys), 'userAgent', 'domain', '__proto__', 'toString', ''),
  fc.string(),
);
const values = fc.oneof(fc.string(), fc.boolean(), fc.integer(), fc.constant(null), fc.jsonValue({ maxDepth: 2 }));

for (const tool of tools)
  test(`${tool.name} accepts whatever its published schema accepts`, () => {
    const ajv = new Ajv2020({ strict: false, formats: {} });
    const definition = JSON.parse(JSON.stringify(definitionOf(tool, {})));
    assert.equal(definition.inputSchema.additionalProperties, undefined);
    const isPublished = ajv.compile(definition.inputSchema);
    const known = Object.keys(tool.inputSchema.shape);
    let accepted = 0;
    fc.assert(
      fc.property(fc.dictionary(names, values, { maxKeys: 6 }), fc.string({ minLength: 1 }), (members, text) => {
        const required: string[] = definition.inputSchema.required ?? [];
        const sent = { ...members, ...Object.fromEntries(required.map((name) => [name, text])) };
        if (!isPublished(sent)) return;
        accepted += 1;
        const { input } = readArguments(sent, tool, { publicUrl: null, contact: null });
        for (const name of Object.keys(input)) assert.ok(known.includes(name));
      }),
      { seed, numRuns: 500 },
    );
    assert.ok(accepted > 100, `${accepted}`);
  });
