/** The five tools: their definitions and their results. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { decode } from 'dns-packet';
import * as z from 'zod';
import { ServiceError } from '../../src/core/errors.ts';
import type { ObservedRequest } from '../../src/core/observed.ts';
import type { Platform } from '../../src/core/platform.ts';
import { product } from '../../src/core/product.ts';
import type { DnsAnswer } from '../../src/lookups/dns/schema.ts';
import { type CheckedHeaders, formatDns, formatRdap, formatWhoami, rdapLookup, whoami } from '../../src/mcp/results.ts';
import { definitionOf } from '../../src/mcp/tool.ts';
import { tools } from '../../src/mcp/tools.ts';
import { seenAll, seenNothing } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { contextOf, siteOf } from '../request-context.ts';
import { poster } from './served.ts';

/** As clients get them. */
const definitions: ReturnType<typeof definitionOf>[] = JSON.parse(
  JSON.stringify(tools.map((tool) => definitionOf(tool, {}))),
);

/** Keywords that every converter of clients keeps, of which some fail at all others. */
function assertPortable(schema: object): void {
  const { type, properties = {}, ...rest } = schema as Record<string, unknown>;
  assert.equal(typeof type, 'string', JSON.stringify(schema));
  const others = Object.keys(rest).filter((keyword) => !['description', 'required', 'enum'].includes(keyword));
  assert.deepEqual(others, []);
  for (const member of Object.values(properties as object)) assertPortable(member);
  if (type === 'object') assert.notDeepEqual(properties, {}, 'converters drop an object without members');
}

/** Compiles the published schema as clients do, which validate results with it. */
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
addFormats.default(ajv);
const validators = new Map(definitions.map(({ name, outputSchema }) => [name, ajv.compile(outputSchema)]));

/** The paths of all fields. */
function pathsOf(schema: object, path = ''): string[] {
  const { properties = {}, anyOf = [], items, $ref } = schema as Record<string, never>;
  assert.equal($ref, undefined);
  const fields = Object.entries<object>(properties).flatMap(([name, member]) => [
    `${path}.${name}`,
    ...pathsOf(member, `${path}.${name}`),
  ]);
  const others = [...(anyOf as object[]), ...(items === undefined ? [] : [items])].flatMap((each) =>
    pathsOf(each, path),
  );
  return [...new Set([...fields, ...others])].sort();
}

/** Every value must be in the text, except for null, counts of zero, and checks that could not run. */
function assertInText(value: unknown, text: string, path = ''): void {
  if (typeof value === 'object' && value !== null) {
    // isEU is false without a country too, of which the text says nothing.
    for (const [key, member] of Object.entries(value))
      if (key !== 'notApplicable' && key !== 'isEU') assertInText(member, text, `${path}.${key}`);
  } else if (value !== null && value !== 0) assert.ok(text.includes(String(value)), `${path}: ${value}`);
}

async function callTool(name: string, input: object = {}, observed = seenAll, changed: Partial<Platform> = {}) {
  const tool = tools.find((each) => each.name === name) ?? assert.fail(name);
  const call = contextOf({ observed, platform: platformOf(changed) });
  const { content, structuredContent, isError } = await tool.run(input, call);
  const [block] = content;
  assert.ok(content.length === 1 && block?.type === 'text' && isError !== true);
  const schema = tool.outputSchema;
  assert.deepEqual(schema.strict().parse(structuredContent), structuredContent);
  const validate = validators.get(name) ?? assert.fail();
  assert.ok(validate(structuredContent), JSON.stringify(validate.errors));
  assertInText(structuredContent, block.text);
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
      // Later than the contract: include_not_applicable.
      ['check_headers', ['headers', 'include_not_applicable'], []],
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

  test('has at most 13.5 KB, of which models usually see at most 900 tokens', async () => {
    const { body } = await poster()({ body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    assert.ok(Buffer.byteLength(body) <= 13_500, `${Buffer.byteLength(body)} bytes`);
    const seen = definitions.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    // Four characters per token.
    assert.ok(JSON.stringify(seen).length <= 4 * 900, `${JSON.stringify(seen).length} characters`);
  });

  for (const { name, inputSchema, outputSchema } of tools)
    test(`publishes every field of ${name}`, () => {
      const published = definitions.find((definition) => definition.name === name) ?? assert.fail();
      for (const [io, schema, found] of [
        ['input', inputSchema, published.inputSchema],
        ['output', outputSchema, published.outputSchema],
      ] as const) {
        const complete = z.toJSONSchema(schema, { io, metadata: z.registry<z.core.GlobalMeta>() });
        assert.deepEqual([pathsOf(found), found.required], [pathsOf(complete), complete.required]);
      }
    });

  test('describes each argument in sentences, with the default of an optional one', () => {
    for (const { name, inputSchema } of definitions)
      for (const [argument, { description = '' }] of Object.entries(inputSchema.properties ?? {})) {
        assert.match(description, /^[A-Z].*\.$/, `${name} ${argument}`);
        const isOptional = inputSchema.required?.includes(argument) !== true;
        assert.equal(/\. If omitted: [^.]+\.$/.test(description), isOptional, `${name} ${argument}`);
      }
  });

  test('states each list of values once in a tool', () => {
    for (const { name, inputSchema, outputSchema } of definitions) {
      const lists = [...JSON.stringify([inputSchema, outputSchema]).matchAll(/"enum":(\[[^\]]*\])/g)].map(
        ([, list]) => list,
      );
      assert.equal(new Set(lists).size, lists.length, name);
    }
  });

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

  test('states of an address that is not public that websites see a different one', async () => {
    const sentence = /different one\./;
    for (const ip of [
      '127.0.0.1',
      '::1',
      '10.1.2.3',
      '192.168.0.7',
      '100.64.0.1',
      '169.254.1.1',
      'fe80::1',
      'fd00::1',
    ]) {
      const { text, value } = await callTool('whoami', {}, { ...seenAll, ip });
      assert.match(value.note, sentence, ip);
      assert.match(text, /^note: .+ A private or reserved address: websites on the internet see a different one\.$/m);
    }
    for (const ip of ['8.8.8.8', '2606:4700::1111', null])
      assert.doesNotMatch((await callTool('whoami', {}, { ...seenAll, ip })).value.note, sentence, `${ip}`);
  });

  test('names the endpoint for another IP address only where it has a result', async () => {
    const start = 'The argument "ip" is unknown and was ignored';
    for (const [hasAddressData, remark] of [
      [true, `${start}; for another IP address, or its host name, GET /api/ip?q=ADDRESS on the same host.`],
      [false, `${start}.`],
    ] as const) {
      const context = contextOf({ ...siteOf({ hasAddressData }), observed: seenAll });
      const result = await tools[0]?.run({ ip: '192.0.2.1' }, context);
      assert.ok(result?.content[0]?.type === 'text');
      assert.equal(result.content[0].text.split('\n')[0], remark);
    }
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

  test('publishes its headers as a string, and states the other forms', () => {
    const { properties = {} } = definitions.find(({ name }) => name === 'check_headers')?.inputSchema ?? {};
    assert.equal(properties.headers?.type, 'string');
    assert.match(`${properties.headers?.description}`, /one "Name: value" per line, or an object or a list\./);
  });

  test('accepts a header block, an object, JSON text, and lists of lines or pairs as headers', async () => {
    for (const headers of [
      `User-Agent: ${chrome}\r\n`,
      { 'User-Agent': [chrome] },
      JSON.stringify({ 'User-Agent': chrome }),
      [`User-Agent: ${chrome}`, 'Accept: */*'],
      [['User-Agent', chrome]],
    ])
      assert.deepEqual((await callTool('check_headers', { headers })).value.kind, 'browser');
  });

  test('has every hint in the text as well, and no rule that could not be checked', async () => {
    const { text, value } = await callTool('check_headers');
    const { hints, notApplicable, notApplicableCount } = value as CheckedHeaders;
    for (const part of hints.flatMap(({ id, hint, reason, headers }) => [id, hint, reason, ...headers]))
      assert.ok(text.includes(part), part);
    assert.doesNotMatch(text, /not applicable/);
    assert.equal(notApplicable, undefined);
    assert.ok(notApplicableCount > 0);
  });

  /** The sentence with which a tool rejects its input. */
  async function rejectionOf(name: string, input: object): Promise<string> {
    const tool = tools.find((each) => each.name === name) ?? assert.fail(name);
    const error = await tool.run(input, contextOf({ observed: seenAll })).catch((error: unknown) => error);
    assert.ok(error instanceof ServiceError);
    assert.equal(error.code, 'invalid_query');
    return error.message;
  }

  test('lists the rules that do not apply, each reason once, if they are asked for', async () => {
    const { text, value } = await callTool('check_headers', { include_not_applicable: true });
    const { notApplicable = [], notApplicableCount } = value as CheckedHeaders;
    assert.equal(notApplicable.flatMap(({ ids }) => ids).length, notApplicableCount);
    assert.equal(new Set(notApplicable.map(({ reason }) => reason)).size, notApplicable.length);
    for (const { reason } of notApplicable) assert.ok(text.includes(reason));
  });

  test('names the endpoint for response headers and URLs', async () => {
    for (const [headers, start] of [
      ['https://example.com/', 'This is a URL or a host name; '],
      [{ url: 'https://example.com' }, 'This is a URL or a host name; '],
      ['HTTP/1.1 200 OK\nServer: nginx', 'These are response headers; '],
      [[{ name: 'Set-Cookie', value: 'a=b' }], 'These are response headers; '],
    ] as const)
      assert.equal(
        await rejectionOf('check_headers', { headers }),
        `${start}check_headers checks the headers of a request; to grade the response headers of a site, GET /api/headers-check?url=URL on the same host.`,
      );
  });

  test('states where a header belongs that is sent as an argument', async () => {
    const { text } = await callTool('check_headers', { 'User-Agent': chrome });
    const [remark] = text.split('\n');
    assert.equal(
      remark,
      'The argument "User-Agent" is unknown and was ignored; write it as a line of headers; for a User-Agent alone, use parse_ua.',
    );
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

  test('states whose User-Agent it parses without input', async () => {
    const { text, value } = await callTool('parse_ua');
    assert.equal(value.note, "The User-Agent of the program that called this tool, not that of the user's browser.");
    assert.ok(text.startsWith(`note: ${value.note}\n`));
    assert.equal((await callTool('parse_ua', { user_agent: 'curl/8.5.0' })).value.note, null);
  });
});

describe('dns_lookup', () => {
  const base = {
    name: 'a.example',
    type: 'A',
    ttl: 60,
    data: '192.0.2.1',
    mx: null,
    txt: null,
    caa: null,
    soa: null,
  } as const;
  const found: DnsAnswer = {
    name: 'www.a.example',
    type: 'A',
    status: 'NOERROR',
    exists: true,
    records: [base],
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
    const txt = { ...base, type: 'TXT' as const, data: 'v=spf1 -all', txt: { chunks: ['v=spf1 ', '-all'] } };
    assert.match(formatDns({ ...found, type: 'TXT', records: [txt] }), /^a\.example 60 TXT "v=spf1 " "-all"\n/);
    // As `printable` returns them: escaped.
    const escaped = { ...txt, txt: { chunks: ['a\\\\b', 'c"\\255'] } };
    assert.match(formatDns({ ...found, type: 'TXT', records: [escaped] }), /^a\.example 60 TXT "a\\\\b" "c\\"\\255"\n/);
    const malformed = { ...base, data: '\\# 3 C00002', error: 'Malformed: it is cut short.' };
    assert.match(
      formatDns({ ...found, records: [malformed] }),
      /^a\.example 60 A \\# 3 C00002 ; Malformed: it is cut short\.\n/,
    );
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
    assert.deepEqual(requested, [`Seenby/${product.version} (+https://seenby.example/docs)`]);
  });

  test('looks up A without a type, also if it is empty', async () => {
    const types: unknown[] = [];
    const fetch: Platform['fetch'] = async ({ body }) => {
      types.push(decode(Buffer.from(body ?? [])).questions?.[0]?.type);
      return { failure: 'unreachable' };
    };
    for (const type of [undefined, null, '', 'mx']) {
      const changed = { fetch, resolvers: ['https://dns.example/'] };
      await assert.rejects(callTool('dns_lookup', { name: 'a.example', type }, seenAll, changed), {
        code: 'upstream_error',
      });
    }
    assert.deepEqual(types, ['A', 'A', 'A', 'MX']);
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
    assert.doesNotMatch(formatRdap(rdapLookup(found({ handle: 'H' }), false)), /^data|omittedCount/m);
    const summary = { handle: 'H', omitted: 0, dnssec: { signed: false, ds: 0 } };
    const text = formatRdap(rdapLookup({ ...found({}), summary } as unknown as Found, false));
    assert.match(text, /^summary\.handle: H\nsummary\.dnssec\.signed: false\n$/m);
    assert.match(formatRdap({ ...rdapLookup(found({}), true), omittedCount: 21 }), /^omittedCount: 21$/m);
    const block = { ...found({}), summary: { country: 'AU', registrant: { country: 'NO' } } } as unknown as Found;
    assert.match(
      formatRdap(rdapLookup(block, false)),
      /^summary\.country: AU \(of the registration, not a location\)\nsummary\.registrant\.country: NO$/m,
    );
  });
});

test('the text of whoami states nothing about the EU without a country', () => {
  assert.doesNotMatch(formatWhoami(whoami(seenNothing, false)), /isEU/);
  assert.match(formatWhoami(whoami(seenAll, false)), /^location\.isEU: (?:true|false)$/m);
  assert.equal(whoami(seenNothing, false).location.isEU, false);
});
