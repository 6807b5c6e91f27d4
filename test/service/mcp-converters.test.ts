/** Converters of vendors' libraries accept the published list of tools, and lose nothing of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mcpTools } from '@anthropic-ai/sdk/helpers/beta/mcp';
import { mcpToTool } from '@google/genai';
import { type MCPServer, mcpToFunctionTool } from '@openai/agents-core';
import { poster } from '../mcp/served.ts';

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: unknown;
}

interface Published {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema & { readonly type: 'object' };
}

/** As a client receives it. */
const response = await poster()({ body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
const published: readonly Published[] = JSON.parse(`${response.body}`).result.tools;
const schemas = Object.fromEntries(published.map(({ name, inputSchema }) => [name, inputSchema]));

// biome-ignore lint/suspicious/noExplicitAny: a client of which converters use the list only
const client: any = { listTools: async () => ({ tools: published }), callTool: async () => ({ content: [] }) };

test('the converter of @google/genai (mcpToTool) keeps every schema', async () => {
  const { functionDeclarations = [] } = await mcpToTool(client).tool();
  const converted = functionDeclarations.map(({ name, parametersJsonSchema }) => [name, parametersJsonSchema]);
  assert.deepEqual(Object.fromEntries(converted), schemas);
  // Its models read output schemas as well; they took 29 KB before version 1.1.
  const { length } = JSON.stringify(functionDeclarations);
  assert.ok(length < 15_000, `${length} characters`);
});

/** Fields of `types.JSONSchema` in google-genai 2.25 for Python that converters of the API keep. */
const pythonFields = ['type', 'format', 'title', 'description', 'default', 'enum', 'required'];

/**
 * `_filter_to_supported_schema` in google-genai for Python: it calls itself for `items`, `additionalProperties` (which it takes for an
 * object) and the members of lists and maps, and drops all other fields that it does not know.
 */
function convertAsPython(schema: object): object {
  const converted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'items' || name === 'additionalProperties') {
      assert.equal(typeof value, 'object', "'bool' object has no attribute 'items'");
      converted[name] = convertAsPython(value);
    } else if (name === 'anyOf' || name === 'oneOf') converted[name] = value.map(convertAsPython);
    else if (name === 'properties' || name === '$defs')
      converted[name] = Object.fromEntries(
        Object.entries<object>(value).map(([key, member]) => [key, convertAsPython(member)]),
      );
    else if (pythonFields.includes(name)) converted[name] = value;
  }
  return converted;
}

test('the rule of google-genai for Python keeps every schema', () => {
  for (const [name, schema] of Object.entries(schemas)) assert.deepEqual(convertAsPython(schema), schema, name);
  // The rule fails at what was published before.
  assert.throws(() => convertAsPython({ type: 'object', additionalProperties: false }), /'bool' object/);
});

test('the converter of OpenAI (@openai/agents-core) makes every schema strict, and keeps its members', () => {
  for (const { name, description, inputSchema } of published) {
    const tool = mcpToFunctionTool({ name, description, inputSchema } as never, { name: 'seenby' } as MCPServer, true);
    assert.equal(tool.strict, true, name);
    const strict = tool.parameters as Schema;
    assert.equal(strict.additionalProperties, false);
    const members = Object.entries(inputSchema.properties ?? {});
    assert.deepEqual(
      strict.required,
      members.map(([member]) => member),
    );
    for (const [member, expected] of members) {
      const { anyOf: [present, absent] = [strict.properties?.[member]] } = strict.properties?.[member] ?? {};
      assert.deepEqual(present, expected, `${name}.${member}`);
      // The model sends null for what it omits; the server treats it as absent.
      assert.equal(absent?.type, inputSchema.required?.includes(member) ? undefined : 'null');
    }
  }
});

test('the converter of Anthropic (@anthropic-ai/sdk) keeps every schema', () => {
  for (const tool of mcpTools([...published] as never, client)) {
    if (!('input_schema' in tool)) assert.fail();
    const { required, ...schema } = tool.input_schema as Schema;
    assert.deepEqual({ ...schema, ...(required && { required }) }, schemas[tool.name]);
  }
});

test('a call has null for what it omits, as the strict form of OpenAI requires', async () => {
  for (const [name, input] of Object.entries({
    whoami: { include_headers: null },
    check_headers: { headers: null },
    parse_ua: { user_agent: null },
  })) {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
    assert.equal(JSON.parse(`${(await poster()({ body: message })).body}`).result.isError, undefined, name);
  }
});
