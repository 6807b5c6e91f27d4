/** The five tools: their definitions and their results. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObservedRequest } from '../../src/core/observed.ts';
import type { Platform } from '../../src/core/platform.ts';
import type { DnsAnswer } from '../../src/lookups/dns/schema.ts';
import { formatRdap, rdapLookup } from '../../src/mcp/rdap-lookup.ts';
import { formatDns } from '../../src/mcp/text.ts';
import { definitionOf } from '../../src/mcp/tool.ts';
import { tools } from '../../src/mcp/tools.ts';
import type { HeaderTraits } from '../../src/traits/header-traits.ts';
import { seenAll, seenNothing } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { contextOf } from '../request-context.ts';

const definitions = tools.map((tool) => definitionOf(tool, {}));

/** Clients misread untyped members, and some reject `propertyNames`. */
function assertPortable(schema: object): void {
  const { type, properties = {}, additionalProperties, items, ...rest } = schema as Record<string, unknown>;
  assert.equal(typeof type, 'string', JSON.stringify(schema));
  const known = ['$schema', 'description', 'required', 'enum', 'maxLength'];
  assert.deepEqual(
    Object.keys(rest).filter((keyword) => !known.includes(keyword)),
    [],
  );
  const members = [...Object.values(properties as object), items, additionalProperties];
  for (const member of members) if (typeof member === 'object' && member !== null) assertPortable(member);
  if (type === 'object') assert.notEqual(additionalProperties ?? true, true, JSON.stringify(schema));
}

async function callTool(name: string, input: object = {}, observed = seenAll, changed: Partial<Platform> = {}) {
  const tool = tools.find((each) => each.name === name) ?? assert.fail(name);
  const call = contextOf({ observed, platform: platformOf(changed) });
  const { content, structuredContent, isError } = await tool.run(input, call);
  const [block] = content;
  assert.ok(content.length === 1 && block?.type === 'text' && isError !== true);
  const schema = tool.outputSchema;
  assert.deepEqual(schema.strict().parse(structuredContent), structuredContent);
  // biome-ignore lint/suspicious/noExplicitAny: the assertions check the types
  return { text: block.text, value: structuredContent as any };
}

describe('the list', () => {
  test('has the tools of the contract, with its inputs', () => {
    const inputs = new Map(
      definitions.map(({ name, inputSchema: { properties = {}, required = [] } }) => [
        name,
        [Object.keys(properties), required],
      ]),
    );
    for (const [name, optional, required] of [
      ['whoami', ['include_headers'], []],
      ['check_headers', ['headers'], []],
      ['parse_ua', ['user_agent'], []],
      ['dns_lookup', ['type'], ['name']],
      ['rdap_lookup', ['include_raw'], ['query']],
    ] as const)
      assert.deepEqual(inputs.get(name), [[...required, ...optional], required]);
  });

  for (const { name, title, description, annotations, inputSchema, outputSchema } of definitions) {
    test(`has everything for ${name} that clients and their directories require`, () => {
      assert.match(name, /^[a-z_]{1,64}$/);
      assert.ok(title && description && description.length < 600);
      assert.deepEqual(annotations, {
        title,
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: tools.some((tool) => tool.name === name && tool.isLookup),
      });
      for (const property of Object.values(inputSchema.properties ?? {}))
        assert.match((property as { description?: string }).description ?? '', /\w+/);
      assert.equal(inputSchema.additionalProperties, false);
      // Clients that translate schemas fail at references, and at null in input schemas.
      assert.doesNotMatch(
        JSON.stringify([inputSchema, outputSchema]),
        /\$ref|\$defs|"id":"|"propertyNames"|"additionalProperties":\{\}/,
      );
      assert.doesNotMatch(JSON.stringify(inputSchema), /"null"/);
      assertPortable(inputSchema);
      assert.deepEqual([inputSchema.type, outputSchema?.type], ['object', 'object']);
    });
  }

  test('marks the tools that query other servers', () => {
    for (const { name, isLookup } of tools) assert.equal(isLookup, name.endsWith('_lookup'), name);
  });
});

describe('whoami', () => {
  test('describes the calling machine, and states that', async () => {
    const { text, value } = await callTool('whoami');
    assert.equal(value.ip, '2001:db8::1');
    assert.deepEqual([value.location.city, value.network.asn, value.network.colo], ['Oslo', 2119, 'OSL']);
    assert.deepEqual([value.tls.version, value.http.protocol, value.userAgent.kind], ['TLSv1.3', 'HTTP/2', 'cli']);
    assert.equal(value.headers, null);
    assert.match(text, /^note: This describes the machine that called the MCP server\./);
    assert.match(text, /^network\.asOrganization: Telenor Norge AS$/m);
    const definition = definitions.find(({ name }) => name === 'whoami');
    assert.match(`${definition?.title}`, /calling machine/);
    assert.match(`${definition?.description}`, /never the user's device/);
  });

  test('lists the headers if include_headers is true', async () => {
    const { text, value } = await callTool('whoami', { include_headers: true });
    assert.deepEqual(value.headers, { 'user-agent': 'curl/8.5.0', accept: '*/*' });
    assert.match(text, /^headers\.accept: \*\/\*$/m);
  });

  test('has null, and no line of text, for what is not available', async () => {
    const { text, value } = await callTool('whoami', {}, seenNothing);
    assert.deepEqual([value.ip, value.location.country, value.tls.version], [null, null, null]);
    assert.doesNotMatch(text, /null|^ip:/m);
  });
});

describe('check_headers', () => {
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36';

  test('has the portable schema for its headers', () => {
    const { properties = {} } = definitions.find(({ name }) => name === 'check_headers')?.inputSchema ?? {};
    const { description: _, ...schema } = properties.headers as Record<string, unknown>;
    assert.deepEqual(schema, { type: 'object', additionalProperties: { type: 'string' } });
  });

  test('accepts a header block and JSON text as headers', async () => {
    for (const headers of [`User-Agent: ${chrome}\r\n`, JSON.stringify({ 'User-Agent': chrome })])
      assert.deepEqual((await callTool('check_headers', { headers })).value.kind, 'browser');
  });

  test('has every hint, and every rule that does not apply, in the text as well', async () => {
    const { text, value } = await callTool('check_headers');
    const { hints, notApplicable } = value as HeaderTraits;
    for (const part of [
      ...hints.flatMap(({ id, hint, reason, headers }) => [id, hint, reason, ...headers]),
      ...notApplicable.flatMap(({ ids }) => ids),
    ])
      assert.ok(text.includes(part), part);
    assert.equal(new Set(notApplicable.map(({ reason }) => reason)).size, notApplicable.length);
  });

  test('checks the headers in its input', async () => {
    const { text, value } = await callTool('check_headers', { headers: { 'User-Agent': chrome } });
    assert.deepEqual([value.source, value.kind], ['given', 'browser']);
    assert.ok(value.hints.some(({ id }: { id: string }) => id === 'accept-language-missing'));
    assert.match(text, /^notice accept-language-missing \(user-agent, accept-language\): /m);
  });

  test('checks the headers of the call without input, including the protocol', async () => {
    const observed: ObservedRequest = { ...seenAll, headers: { 'user-agent': chrome } };
    const { text, value } = await callTool('check_headers', {}, observed);
    assert.equal(value.source, 'call');
    assert.ok(value.hints.some(({ id }: { id: string }) => id === 'client-hints-missing'));
    assert.match(text, /program that called this tool/);
    assert.equal((await callTool('check_headers', {}, seenNothing)).value.source, 'call');
  });
});

describe('parse_ua', () => {
  test('parses the User-Agent in its input, else that of the call', async () => {
    const { text, value } = await callTool('parse_ua', { user_agent: 'GPTBot/1.2' });
    assert.deepEqual([value.raw, value.kind], ['GPTBot/1.2', 'ai-crawler']);
    assert.match(text, /^bot\.operator: OpenAI$/m);
    assert.equal((await callTool('parse_ua')).value.raw, 'curl/8.5.0');
    assert.equal((await callTool('parse_ua', { user_agent: '' })).value.raw, '');
  });
});

describe('dns_lookup', () => {
  const found: DnsAnswer = {
    name: 'www.a.example',
    type: 'A',
    status: 'NOERROR',
    exists: true,
    records: [{ name: 'a.example', type: 'A', ttl: 60, data: '192.0.2.1', mx: null, txt: null, caa: null, soa: null }],
    cnameChain: ['a.example'],
    ttl: 60,
    dnssec: true,
    note: null,
    resolver: 'dns.example',
  };

  test('formats records as lines of a zone file', () => {
    assert.equal(
      formatDns(found),
      'a.example 60 A 192.0.2.1\nname: www.a.example\ntype: A\nstatus: NOERROR\nexists: true\ncnameChain.0: a.example\nttl: 60\ndnssec: true\nresolver: dns.example\n',
    );
    assert.match(formatDns({ ...found, records: [], note: 'There is no such name.' }), /^There is no such name\.\n/);
  });

  test('identifies the service to the resolver', async () => {
    const requested: string[] = [];
    const fetch: Platform['fetch'] = async ({ headers }) => {
      requested.push(headers['User-Agent'] ?? '');
      return { failure: 'unreachable' };
    };
    const lookup = callTool('dns_lookup', { name: 'a.example' }, seenAll, {
      fetch,
      resolvers: ['https://dns.example/'],
    });
    await assert.rejects(lookup, { code: 'upstream_error' });
    assert.deepEqual(requested, ['Seenby/1.0.0 (+https://seenby.example/docs)']);
  });
});

describe('rdap_lookup', () => {
  type Found = Parameters<typeof rdapLookup>[0];
  const found = (data: Found['data']): Found =>
    ({
      query: 'a.example',
      kind: 'domain',
      source: 'https://rdap.example/domain/a.example',
      bootstrapUpdated: null,
      summary: { handle: 'H' },
      data,
    }) as unknown as Found;

  test('omits the raw JSON unless include_raw is true', () => {
    const { data, omitted } = rdapLookup(found({ handle: 'H' }), false);
    assert.deepEqual([data, omitted], [null, []]);
    assert.deepEqual(rdapLookup(found({ handle: 'H' }), true).data, { handle: 'H' });
  });

  test('omits the largest members of long raw JSON, and names them', () => {
    const data = { handle: 'H', entities: ['e'.repeat(30_000)], notices: ['n'.repeat(20_000)], links: ['l'] };
    const bounded = rdapLookup(found(data), true);
    assert.deepEqual(Object.keys(bounded.data ?? {}), ['handle', 'notices', 'links']);
    assert.deepEqual(bounded.omitted, ['entities']);
    const hostile = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`${at}${'x'.repeat(100)}`, at]));
    const cut = rdapLookup(found(hostile), true);
    assert.ok(JSON.stringify(cut).length < 27_000);
    assert.deepEqual([cut.omitted.length, Object.keys(cut.data ?? {}).length + cut.omittedCount], [20, 5000]);
  });

  test('puts the raw JSON into the text as well, if requested', () => {
    assert.match(
      formatRdap(rdapLookup(found({ handle: 'H' }), true)),
      /^summary\.handle: H\n(?:.*\n)*data: \{"handle":"H"\}\n$/m,
    );
    assert.doesNotMatch(formatRdap(rdapLookup(found({ handle: 'H' }), false)), /^data/m);
  });
});
