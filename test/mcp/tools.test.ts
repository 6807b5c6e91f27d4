/** The five tools: what the list says of them, and what they answer. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObservedRequest } from '../../src/core/observed.ts';
import type { Platform } from '../../src/core/platform.ts';
import type { DnsAnswer } from '../../src/lookups/dns/answer.ts';
import { dnsText } from '../../src/mcp/dns-text.ts';
import { rdapLookup, rdapText } from '../../src/mcp/rdap-lookup.ts';
import { tools } from '../../src/mcp/tools.ts';
import { seenAll, seenNothing } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { servedTools } from './served.ts';

const definitions = servedTools.map(({ definition }) => definition);

async function answer(name: string, input: object = {}, observed = seenAll, changed: Partial<Platform> = {}) {
  const tool = servedTools.find(({ definition }) => definition.name === name) ?? assert.fail(name);
  const call = { observed, platform: platformOf(changed), base: 'https://seenby.example' };
  const { content, structuredContent, isError } = await tool.run(input, call);
  const [block] = content;
  assert.ok(content.length === 1 && block?.type === 'text' && isError !== true);
  const schema = tools.find((each) => each.name === name)?.outputSchema;
  assert.deepEqual(schema?.strict().parse(structuredContent), structuredContent);
  // biome-ignore lint/suspicious/noExplicitAny: an answer is of no type before a test has looked at it
  return { text: block.text, value: structuredContent as any };
}

describe('the list', () => {
  test('names five tools in order', () => {
    assert.deepEqual(
      definitions.map(({ name }) => name),
      ['whoami', 'check_headers', 'parse_ua', 'dns_lookup', 'rdap_lookup'],
    );
  });

  test('names their inputs', () => {
    assert.deepEqual(
      definitions.map(({ inputSchema }) => [Object.keys(inputSchema.properties ?? {}), inputSchema.required ?? []]),
      [
        [['include_headers'], []],
        [['headers'], []],
        [['user_agent'], []],
        [['name', 'type'], ['name']],
        [['query', 'include_raw'], ['query']],
      ],
    );
  });

  for (const { name, title, description, annotations, inputSchema, outputSchema } of definitions) {
    test(`says all of ${name} that clients and their directories ask for`, () => {
      assert.match(name, /^[a-z_]{1,64}$/);
      assert.ok(title && description && description.length < 600);
      assert.deepEqual(annotations, {
        title,
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: ['dns_lookup', 'rdap_lookup'].includes(name),
      });
      for (const property of Object.values(inputSchema.properties ?? {}))
        assert.match((property as { description?: string }).description ?? '', /\w+/);
      assert.equal(inputSchema.additionalProperties, false);
      // References, and null among the inputs, are what clients that translate schemas stumble over.
      assert.doesNotMatch(JSON.stringify([inputSchema, outputSchema]), /\$ref|\$defs|"id":"/);
      assert.doesNotMatch(JSON.stringify(inputSchema), /"null"/);
      assert.deepEqual([inputSchema.type, outputSchema?.type], ['object', 'object']);
    });
  }

  test('limits those that ask others', () => {
    for (const { rates, openWorld } of tools) assert.deepEqual(rates, openWorld ? ['lookup'] : []);
  });
});

describe('whoami', () => {
  test('describes the machine that calls, and says so', async () => {
    const { text, value } = await answer('whoami');
    assert.equal(value.ip, '2001:db8::1');
    assert.deepEqual([value.location.city, value.network.asn, value.network.colo], ['Oslo', 2119, 'OSL']);
    assert.deepEqual([value.tls.version, value.http.protocol, value.userAgent.kind], ['TLSv1.3', 'HTTP/2', 'cli']);
    assert.equal(value.headers, null);
    assert.match(text, /^note: This describes the machine that called the tool server\./);
    assert.match(text, /^network\.asOrganization: Telenor Norge AS$/m);
    const definition = definitions.find(({ name }) => name === 'whoami');
    assert.match(`${definition?.title}`, /calling machine/);
    assert.match(`${definition?.description}`, /not the device of its user/);
  });

  test('lists the headers where they are asked for', async () => {
    const { text, value } = await answer('whoami', { include_headers: true });
    assert.deepEqual(value.headers, { 'user-agent': 'curl/8.5.0', accept: '*/*' });
    assert.match(text, /^headers\.accept: \*\/\*$/m);
  });

  test('invents nothing that was not seen', async () => {
    const { text, value } = await answer('whoami', {}, seenNothing);
    assert.deepEqual([value.ip, value.location.country, value.tls.version], [null, null, null]);
    assert.doesNotMatch(text, /null|^ip:/m);
  });
});

describe('check_headers', () => {
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36';

  test('checks the headers given', async () => {
    const { text, value } = await answer('check_headers', { headers: { 'User-Agent': chrome } });
    assert.deepEqual([value.source, value.kind], ['given', 'browser']);
    assert.ok(value.hints.some(({ id }: { id: string }) => id === 'accept-language-missing'));
    assert.match(text, /^notice accept-language-missing: /m);
  });

  test('checks those of the call without input, with how they came', async () => {
    const observed: ObservedRequest = { ...seenAll, headers: { 'user-agent': chrome } };
    const { text, value } = await answer('check_headers', {}, observed);
    assert.equal(value.source, 'call');
    assert.ok(value.hints.some(({ id }: { id: string }) => id === 'client-hints-missing'));
    assert.match(text, /program that called this tool/);
    assert.equal((await answer('check_headers', {}, seenNothing)).value.source, 'call');
  });
});

describe('parse_ua', () => {
  test('reads the User-Agent given, else that of the call', async () => {
    const { text, value } = await answer('parse_ua', { user_agent: 'GPTBot/1.2' });
    assert.deepEqual([value.raw, value.kind], ['GPTBot/1.2', 'ai-crawler']);
    assert.match(text, /^bot\.operator: OpenAI$/m);
    assert.equal((await answer('parse_ua')).value.raw, 'curl/8.5.0');
    assert.equal((await answer('parse_ua', { user_agent: '' })).value.raw, '');
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

  test('prints records as a zone file has them', () => {
    assert.equal(
      dnsText(found),
      'a.example 60 A 192.0.2.1\nname: www.a.example\ntype: A\nstatus: NOERROR\nexists: true\ncnameChain.0: a.example\nttl: 60\ndnssec: true\nresolver: dns.example\n',
    );
    assert.match(dnsText({ ...found, records: [], note: 'There is no such name.' }), /^There is no such name\.\n/);
  });

  test('asks in the name of the service, for A unless told otherwise', async () => {
    const asked: string[] = [];
    const fetch: Platform['fetch'] = async ({ headers }) => {
      asked.push(headers['User-Agent'] ?? '');
      return { failure: 'unreachable' };
    };
    const lookup = answer('dns_lookup', { name: 'a.example' }, seenAll, { fetch, resolvers: ['https://dns.example/'] });
    await assert.rejects(lookup, { code: 'upstream_error' });
    assert.deepEqual(asked, ['Seenby/1.0 (+https://seenby.example/docs)']);
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
  const call = (headers: Record<string, string>) => ({
    observed: { ...seenAll, headers },
    platform: platformOf(),
    base: '',
  });

  test('leaves the raw data out unless it is asked for', () => {
    const { data, omitted } = rdapLookup(found({ handle: 'H' }), false);
    assert.deepEqual([data, omitted], [null, []]);
    assert.deepEqual(rdapLookup(found({ handle: 'H' }), true).data, { handle: 'H' });
  });

  test('leaves out the largest members of what is too long, and names them', () => {
    const data = { handle: 'H', entities: ['e'.repeat(30_000)], notices: ['n'.repeat(20_000)], links: ['l'] };
    const bounded = rdapLookup(found(data), true);
    assert.deepEqual(Object.keys(bounded.data ?? {}), ['handle', 'notices', 'links']);
    assert.deepEqual(bounded.omitted, ['entities']);
    const hostile = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`${at}${'x'.repeat(100)}`, at]));
    assert.ok(JSON.stringify(rdapLookup(found(hostile), true)).length < 27_000);
  });

  test('prints raw data for clients alone that read nothing else', () => {
    const value = rdapLookup(found({ handle: 'H' }), true);
    const older = rdapText(value, call({}));
    const newer = rdapText(value, call({ 'mcp-protocol-version': '2025-06-18' }));
    assert.match(newer, /^summary\.handle: H$/m);
    assert.equal(older, `${newer}data: {"handle":"H"}\n`);
    assert.equal(rdapText(value, call({ 'mcp-protocol-version': '2025-03-26' })), older);
  });
});
