/** The MCP server, called with hand-written messages. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { errors } from '../../src/core/errors.ts';
import type { HttpResponse } from '../../src/core/request-context.ts';
import { maxBatch, maxBodyBytes } from '../../src/mcp/message.ts';
import {
  handshakeVersions,
  instructionsOf,
  serverInfo,
  serverInfoOf,
  statelessVersions,
} from '../../src/mcp/server-info.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { tools } from '../../src/mcp/tools.ts';
import { decisionOf } from '../platform.ts';
import { site } from '../request-context.ts';
import { fixture } from './fixture-tools.ts';
import { type Post, poster } from './served.ts';

const post = poster();

const eras = ['handshake', 'stateless'] as const;
/** Kinds of protocol versions: with `initialize`, and without. */
type Era = (typeof eras)[number];

const meta = (name: string) => `io.modelcontextprotocol/${name}`;
const [stateless] = statelessVersions;
const envelope = {
  [meta('protocolVersion')]: stateless,
  [meta('clientInfo')]: { name: 'test', version: '1' },
  [meta('clientCapabilities')]: {},
};

/** One request in the form of an era. */
function request(method: string, params: Record<string, unknown> = {}, era: Era = 'handshake', id: number = 1): Post {
  const message = { jsonrpc: '2.0', id, method, params };
  if (era === 'handshake') return { body: message };
  const name = typeof params.name === 'string' ? { 'mcp-name': params.name } : {};
  return {
    body: { ...message, params: { ...params, _meta: envelope } },
    headers: { 'mcp-protocol-version': stateless, 'mcp-method': method, ...name },
  };
}

const call = (name: string, input: object = {}, era?: Era): Post =>
  request('tools/call', { name, arguments: input }, era);

// biome-ignore lint/suspicious/noExplicitAny: the assertions check the types
function read(response: HttpResponse): any {
  const { headers, body } = response;
  assert.equal(headers['Cache-Control'], 'no-store');
  assert.equal(headers['X-Content-Type-Options'], 'nosniff');
  assert.equal(headers['Access-Control-Allow-Origin'], '*');
  assert.equal(headers['Access-Control-Expose-Headers'], 'Mcp-Session-Id');
  assert.equal(headers['Access-Control-Allow-Credentials'], undefined);
  if (body === '') return null;
  assert.equal(headers['Content-Type'], 'application/json');
  return JSON.parse(`${body}`);
}

function assertRejected(response: HttpResponse, status: number, code: number, expectedId: number | null = null): void {
  assert.equal(response.status, status);
  const { jsonrpc, id, error } = read(response);
  assert.deepEqual([jsonrpc, id, error.code], ['2.0', expectedId, code]);
  assert.match(error.message, /\.$/);
}

/** A tool that counts its calls. */
function createCounter(): { tool: Tool; count: () => number } {
  let calls = 0;
  const tool = fixture('count', async () => {
    calls += 1;
    return { content: [], structuredContent: {} };
  });
  return { tool, count: () => calls };
}

describe('a message', () => {
  for (const era of eras) {
    test(`with more than ${maxBodyBytes} bytes is rejected before any tool runs (${era})`, async () => {
      const { tool, count } = createCounter();
      const send = poster([tool]);
      const { body, headers = {} } = call('count', {}, era);
      const short = JSON.stringify(body);
      // Bytes are counted, not characters.
      const padded = `${short.slice(0, -1)},"x":"é`;
      const fill = (bytes: number): string => `${padded}${' '.repeat(bytes - Buffer.byteLength(padded) - 2)}"}`;
      assertRejected(await send({ body: fill(maxBodyBytes + 1), headers }), 413, -32600);
      assert.equal(count(), 0);
      const exact = `${short}${' '.repeat(maxBodyBytes - Buffer.byteLength(short))}`;
      assert.equal(read(await send({ body: exact, headers })).error, undefined);
      assert.equal(count(), 1);
    });
  }

  test('that is not JSON, or not JSON-RPC, is rejected', async () => {
    for (const body of ['', '{', 'nope', '\u0000']) assertRejected(await post({ body }), 400, -32700);
    for (const body of ['{}', '1', 'null', '"a"', '[]', '{"jsonrpc":"2.0","method":1}'])
      assertRejected(await post({ body }), 400, -32600);
    for (const params of [[], 5, 'a', { _meta: 5 }]) {
      const { status, body } = await post(request('ping', params as object as Record<string, unknown>));
      const { id, error } = JSON.parse(`${body}`);
      assert.deepEqual([status, id, error.code], [400, 1, -32600]);
      assert.match(error.message, /^params\S* must be an object\.$/);
    }
  });

  test('whose id is neither a string nor an integer that JSON preserves gets an error immediately', async () => {
    const unsafe = ['1e20', '-1e300', '1e999', '9007199254740992', '9007199254740993', '-9007199254740992'];
    const { body: initialize } = request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    const posts = [request('ping'), { body: initialize }, call('whoami'), call('whoami', {}, 'stateless')];
    posts.push(request('tools/list'), request('server/discover', {}, 'stateless'));
    posts.push(request('subscriptions/listen', { notifications: {} }, 'stateless'));
    posts.push({ body: { jsonrpc: '2.0', id: 1, result: {} } });
    for (const { body, headers = {} } of posts)
      for (const id of [...unsafe, '1.5', 'null', 'true', '[]', '{}']) {
        const text = JSON.stringify(body).replace('"id":1', `"id":${id}`);
        const rejected = await post({ body: text, headers });
        assertRejected(rejected, 400, -32600);
        assert.match(
          `${rejected.body}`,
          /id must be a string or an integer from -9007199254740991 to 9007199254740991\./,
        );
        assert.equal(read(await post({ body: `[${text}]`, headers }))[0].id, null);
      }
    for (const id of ['9007199254740991', '-9007199254740991', '0', '"1e20"', '""', '"\u2603"'])
      assert.deepEqual(
        `${(await post({ body: `{"jsonrpc":"2.0","id":${id},"method":"nope"}` })).body}`.split(',')[1],
        `"id":${id}`,
      );
  });

  test('with another media type is rejected', async () => {
    for (const type of ['', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a']) {
      const rejected = await post({ ...request('ping'), headers: { 'content-type': type } });
      assertRejected(rejected, 415, -32000);
      assert.deepEqual(rejected.ownHeaders, { Accept: 'application/json' });
    }
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
    assert.deepEqual(read(await post({ ...request('ping'), headers })).result, {});
  });

  test('in a content coding is rejected with the name of the header', async () => {
    for (const coding of ['gzip', 'br', 'identity, gzip', 'identity2', 'x-identity']) {
      const rejected = await post({ ...request('ping'), headers: { 'content-encoding': coding } });
      assertRejected(rejected, 415, -32600);
      assert.deepEqual(rejected.ownHeaders, { 'Accept-Encoding': 'identity' });
      assert.match(`${rejected.body}`, /Content-Encoding/);
    }
    for (const coding of ['', 'identity', 'Identity', 'identity, identity'])
      assert.deepEqual(read(await post({ ...request('ping'), headers: { 'content-encoding': coding } })).result, {});
  });

  test('in another charset than UTF-8 is rejected', async () => {
    const typed = (type: string) => post({ ...request('ping'), headers: { 'content-type': type } });
    for (const charset of ['iso-8859-1', '"utf-16"', 'utf-16; charset=utf-8', '', 'utf8x']) {
      const rejected = await typed(`application/json; charset=${charset}`);
      assertRejected(rejected, 415, -32600);
      assert.deepEqual(rejected.ownHeaders, { Accept: 'application/json' });
    }
    for (const charset of ['utf-8', 'UTF8', '"utf-8"', '"Utf8"; x=y'])
      assert.deepEqual(read(await typed(`application/json;charset=${charset}`)).result, {}, charset);
  });

  test('of bytes that are not UTF-8 is rejected as unparsable', async () => {
    const message = (text: string) => Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${text}"}}`);
    for (const invalid of ['ff', 'c3', 'c0af', 'eda080', 'f8888080']) {
      const bytes = message('??????');
      bytes.write(invalid, bytes.indexOf('?'), 'hex');
      assertRejected(await post({ body: bytes }), 400, -32700);
    }
    assert.deepEqual(read(await post({ body: message('☃') })).result, {});
  });

  test('gets a response if Accept covers JSON, and 406 otherwise', async () => {
    for (const accept of ['', '*/*', 'application/*', 'application/json', 'text/event-stream, application/json;q=0.1'])
      assert.deepEqual(read(await post({ ...request('ping'), headers: { accept } })).result, {}, accept);
    for (const accept of [
      'text/html',
      'text/event-stream',
      'image/*',
      'application/json;q=0',
      'application/json;q=0, */*',
      '*/*;q=0',
    ])
      assertRejected(await post({ ...request('ping'), headers: { accept } }), 406, -32000);
  });

  for (const era of eras) {
    test(`gets the same treatment of Accept in every version (${era})`, async () => {
      const { body, headers = {} } = request('tools/list', {}, era);
      const statusOf = async (accept: string) => (await post({ body, headers: { ...headers, accept } })).status;
      for (const accept of ['', '*/*', 'application/json', 'application/json, text/event-stream'])
        assert.equal(await statusOf(accept), 200, accept);
      for (const accept of ['text/html', 'text/event-stream', 'application/json;q=0'])
        assert.equal(await statusOf(accept), 406, accept);
    });
  }

  test('of an unknown method gets the methods that exist', async () => {
    const { status, body } = await post(request('prompts/list'));
    assert.deepEqual([status, JSON.parse(`${body}`).error.code], [200, -32601]);
    assert.match(`${body}`, /There is no method \\"prompts\/list\\"; use initialize, ping, tools\/list, tools\/call\./);
    const later = await post(request('ping', {}, 'stateless'));
    assert.deepEqual([later.status, JSON.parse(`${later.body}`).error.code], [404, -32601]);
    assert.match(`${later.body}`, /use server\/discover, tools\/list, tools\/call, subscriptions\/listen\./);
  });

  test('without initialize whose headers disagree with its body gets the name of the header', async () => {
    const { body, headers = {} } = call('parse_ua', {}, 'stateless');
    const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;
    const send = (changed: Record<string, string>) => post({ body, headers: { ...headers, ...changed } });
    for (const [name, value] of [
      ['Mcp-Name', 'whoami'],
      ['Mcp-Name', base64('whoami')],
      ['Mcp-Name', '=?base64?*?='],
      ['Mcp-Method', 'tools/list'],
      ['MCP-Protocol-Version', '2025-06-18'],
    ] as const) {
      const { error } = JSON.parse(`${(await send({ [name.toLowerCase()]: value })).body}`);
      assert.deepEqual([error.code, error.message.includes(`header ${name} does`)], [-32020, true], error.message);
      const { [name.toLowerCase()]: _, ...others } = headers;
      const missing = JSON.parse(`${(await post({ body, headers: others })).body}`).error;
      assert.deepEqual([missing.code, missing.message.includes(`header ${name} is missing`)], [-32020, true]);
    }
    // Octets that are not UTF-8 are not the character that replaces them.
    const replaced = call('parse_ua\ufffd', {}, 'stateless');
    const octets = `=?base64?${Buffer.from('parse_ua\xff', 'latin1').toString('base64')}?=`;
    const { error } = JSON.parse(
      `${(await post({ body: replaced.body, headers: { ...replaced.headers, 'mcp-name': octets } })).body}`,
    );
    assert.equal(error.code, -32020);
    for (const changed of [
      { 'mcp-name': base64('parse_ua') },
      { 'mcp-name': ' parse_ua ', 'mcp-method': ' tools/call ' },
    ])
      assert.equal((await send(changed)).status, 200);
  });

  test('without a request gets an empty response', async () => {
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, result: {} },
      [{ jsonrpc: '2.0', method: 'notifications/initialized' }],
    ]) {
      const response = await post({ body });
      assert.equal(response.status, 202);
      assert.equal(read(response), null);
    }
  });

  test('with headers beyond ASCII gets a response', async () => {
    const { body, headers = {} } = call('parse_ua', {}, 'stateless');
    const response = read(await post({ body, headers: { ...headers, 'user-agent': 'Tést/1 ☃', 'x-any': '☃' } }));
    assert.equal(response.result.structuredContent.raw, 'Tést/1 ☃');
    assert.equal(read(await post({ body, headers: { ...headers, 'mcp-name': '☃' } })).error.code, -32020);
  });
});

describe('a batch', () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const expected = { jsonrpc: '2.0', id: 1, result: {} };

  test(`of more than ${maxBatch} messages is rejected before any tool runs`, async () => {
    const { tool, count } = createCounter();
    const send = poster([tool]);
    const { body } = call('count');
    assertRejected(await send({ body: Array(maxBatch + 1).fill(body) }), 400, -32600);
    assert.equal(count(), 0);
    assert.equal(read(await send({ body: Array(maxBatch).fill(body) })).length, maxBatch);
    assert.equal(count(), maxBatch);
  });

  test('gets one response with a result for each request, even if ids are equal', async () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    assert.deepEqual(read(await post({ body: [ping] })), [expected]);
    assert.deepEqual(read(await post({ body: [ping, notification, ping] })), [expected, expected]);
  });

  test('gets an error for each element that is not a message (JSON-RPC 2.0, section 6)', async () => {
    const responses = read(await post({ body: [ping, 5, {}, null, [], { ...ping, id: 7, method: 'nope' }] }));
    assert.deepEqual(responses[0], expected);
    const errors = responses
      .slice(1)
      .map(({ id, error }: { id: unknown; error: { code: number } }) => [id, error.code]);
    assert.deepEqual(errors, [...Array(4).fill([null, -32600]), [7, -32601]]);
    assert.equal(read(await post({ body: [1] }))[0].error.code, -32600);
  });

  test('gets an error for each request of a version without batches, which is not run', async () => {
    const { tool, count } = createCounter();
    const send = poster([tool]);
    const { body: selfContained, headers = {} } = call('count', {}, 'stateless');
    const [result, rejected] = read(await send({ body: [call('count').body, selfContained] }));
    assert.deepEqual([result.error, rejected.error.code, count()], [undefined, -32600, 1]);
    const [byHeader] = read(await send({ body: [call('count').body], headers }));
    assert.match(byHeader.error.message, /2026-07-28 has no batches; send each message by itself\.$/);
    assert.equal(count(), 1);
  });
});

describe('protocol versions', () => {
  const initialize = (protocolVersion: string) =>
    request('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } });

  test('are negotiated: the requested one, or 2025-06-18 if it is unknown', async () => {
    for (const version of handshakeVersions)
      assert.equal(read(await post(initialize(version))).result.protocolVersion, version);
    for (const version of ['2024-10-07', '2099-01-01', stateless, ''])
      assert.equal(read(await post(initialize(version))).result.protocolVersion, '2025-06-18');
  });

  test('share server info, instructions and capabilities', async () => {
    const { result } = read(await post(initialize('2025-06-18')));
    assert.deepEqual(result.serverInfo, serverInfoOf(site));
    assert.equal(result.instructions, instructionsOf(tools, {}));
    // What agents get wrong.
    for (const advice of [
      /never the user's device/,
      /No tool locates another IP address; GET \/api\/ip\?q=ADDRESS/,
      /one record type per call/,
      /"claimed" .+ not verified/,
      /limit of 10 per 60 seconds/,
    ])
      assert.match(result.instructions, advice);
    assert.deepEqual(result.capabilities, { tools: { listChanged: false } });
    const { result: discovered } = read(await post(request('server/discover', {}, 'stateless')));
    assert.deepEqual(discovered.supportedVersions, [...statelessVersions]);
    assert.deepEqual(discovered._meta[meta('serverInfo')], serverInfoOf(site));
    assert.deepEqual([discovered.instructions, discovered.capabilities], [result.instructions, result.capabilities]);
    // Limits of the server card's schema.
    assert.ok(serverInfo.description.length <= 100);
  });

  test('that are not supported are rejected with a list of those that are', async () => {
    const unknown = { ...request('ping'), headers: { 'mcp-protocol-version': '2024-01-01' } };
    assertRejected(await post(unknown), 400, -32000, 1);
    const list = /2025-06-18, 2025-11-25, 2025-03-26, 2024-11-05, 2026-07-28/;
    for (const version of ['2024-01-01', 'garbage', '2099-01-01', ''])
      for (const body of [request('ping').body, [request('ping').body], { jsonrpc: '2.0', method: 'notifications/x' }])
        assert.match(`${(await post({ body, headers: { 'mcp-protocol-version': version } })).body}`, list);
    // Some clients send it after another version was negotiated by server/discover.
    for (const version of ['garbage', stateless]) {
      const again = { ...initialize('2025-06-18'), headers: { 'mcp-protocol-version': version } };
      assert.equal(read(await post(again)).result.protocolVersion, '2025-06-18');
    }
    const { body, headers = {} } = call('parse_ua', {}, 'stateless');
    const future = JSON.parse(JSON.stringify(body).replaceAll(stateless, '2099-01-01'));
    const response = await post({ body: future, headers: { ...headers, 'mcp-protocol-version': '2099-01-01' } });
    assert.deepEqual([response.status, read(response).error.data.supported], [400, [...statelessVersions]]);
    const forged = JSON.parse(JSON.stringify(body).replaceAll(stateless, '[\\n1]'));
    assert.equal((await post({ body: forged })).status, 400);
  });

  test('without initialize open no stream either', async () => {
    const response = await post(
      request('subscriptions/listen', { notifications: { toolsListChanged: true } }, 'stateless'),
    );
    assert.equal(response.status, 200);
    assert.equal(response.headers['Cache-Control'], 'no-store');
  });

  test('share one list of tools, the same in every response', async () => {
    const first = await post(request('tools/list'));
    const again = await post(request('tools/list'));
    assert.equal(first.body, again.body);
    const { result } = read(await post(request('tools/list', {}, 'stateless')));
    assert.deepEqual(result.tools, read(first).result.tools);
  });
});

describe('methods', () => {
  test('other than POST are rejected with a message that links to the documentation', async () => {
    for (const method of ['GET', 'HEAD', 'DELETE', 'PUT', 'PATCH']) {
      const response = await post({ body: '', method });
      assert.equal(response.status, 405);
      assert.equal(response.headers.Allow, 'POST, OPTIONS');
      assert.equal(read(response).error, 'method_not_allowed');
      assert.match(
        read(response).message,
        /^This is an MCP endpoint .+ with POST\. See https:\/\/seenby\.example\/docs#tools\.$/,
      );
    }
  });

  test('and headers of the protocol are allowed for pages of any origin', async () => {
    const response = await post({ body: '', method: 'OPTIONS', headers: { origin: 'https://page.example' } });
    assert.equal(read(response), null);
    assert.equal(response.status, 204);
    assert.equal(response.headers['Access-Control-Allow-Methods'], 'POST, GET, DELETE');
    assert.equal(
      response.headers['Access-Control-Allow-Headers'],
      'Content-Type, Mcp-Session-Id, Mcp-Protocol-Version, Last-Event-ID, Mcp-Method, Mcp-Name',
    );
    const headers = { origin: 'https://page.example', 'mcp-session-id': 'a', 'last-event-id': '1' };
    assert.deepEqual(read(await post({ ...request('ping'), headers })).result, {});
  });
});

test('on a loopback address only names of this machine and the host of PUBLIC_URL are allowed', async () => {
  for (const origin of [
    'http://localhost:8080',
    'http://127.0.0.1:8080',
    'https://[::1]:8443',
    'https://seenby.example',
  ])
    assert.equal((await post({ ...request('ping'), origin, onLoopback: true })).status, 200, origin);
  for (const origin of ['http://evil.example:8080', 'http://localhost.evil.example', 'http://127.0.0.1.evil.example'])
    assertRejected(await post({ ...request('ping'), origin, onLoopback: true }), 403, -32000);
  assert.equal((await post({ ...request('ping'), origin: 'http://any.example' })).status, 200);
});

describe('a call', () => {
  for (const era of eras) {
    test(`to a nonexistent tool is rejected (${era})`, async () => {
      assert.equal(read(await post(call('nope', {}, era))).error.code, -32602);
      for (const name of ['__proto__', 'constructor'])
        assert.equal(read(await post(call(name, {}, era))).error.code, -32602);
    });

    test(`that fails unexpectedly does not reveal the failure (${era})`, async () => {
      const failure = new TypeError('of 203.0.113.9');
      const reported: unknown[] = [];
      const failing = fixture('fail', () => Promise.reject(failure));
      const send = poster([failing], { report: (error) => reported.push(error) });
      const { result } = read(await send(call('fail', {}, era)));
      assert.deepEqual(result.content, [{ type: 'text', text: errors.internal_error.message }]);
      assert.deepEqual([result.isError, result._meta.code], [true, 'internal_error']);
      assert.deepEqual(reported, [failure]);
    });
  }

  test('accepts a number as text, and a truth value in quotes', async () => {
    const whoami = read(await post(call('whoami', { include_headers: 'true' }))).result;
    assert.notEqual(whoami.structuredContent.headers, null);
    // The lookup fails because this platform has no network; the argument is valid.
    const lookup = read(await post(call('rdap_lookup', { query: 15169 }))).result;
    assert.equal(lookup._meta.code, 'upstream_error');
  });

  test('with invalid arguments gets a message that states what to change', async () => {
    for (const [name, input, problem] of [
      ['whoami', { include_headers: 'yes' }, /^include_headers must be true or false: /],
      ['parse_ua', { user_agent: {} }, /^user_agent must be a string: .+\.$/],
      ['parse_ua', { user_agent: 'a'.repeat(8193) }, /^user_agent has more than 8192 characters; shorten it\.$/],
      ['dns_lookup', {}, /^name is required: Domain name, such as .+[^.]\.$/],
      ['dns_lookup', { name: null }, /^name is required: /],
      [
        'dns_lookup',
        { nmae: 'a.example' },
        /^name is required: .+\. The argument "nmae" is unknown and was ignored; use name\.$/,
      ],
      ['dns_lookup', { name: '192.0.2.1' }, /use rdap_lookup/],
      ['dns_lookup', { name: '2001:db8::/32' }, /use rdap_lookup/],
      ['rdap_lookup', { domain: 'a.example' }, /^query is required: .+\. The argument "domain" .+; use query\.$/],
      ['rdap_lookup', { whatever: 'a.example' }, /^query is required: .+\. Unknown and ignored: "whatever"\.$/],
      ['dns_lookup', { hostname: 'a.example' }, /^name is required: .+\. The argument "hostname" .+; use name\.$/],
      ['dns_lookup', { name: 'a.example', type: 'RRSIG' }, /A, AAAA, MX, TXT, NS, CNAME, CAA, SOA/],
      ['check_headers', { headers: { 'a b': 'c' } }, /"a b" is not a header name/],
    ] as const) {
      const { result } = read(await post(call(name, input)));
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, problem);
      assert.equal(result.structuredContent, undefined);
    }
  });

  for (const era of eras) {
    test(`with invalid params gets a message that says what to send (${era})`, async () => {
      for (const [method, params, problem] of [
        ['tools/list', { cursor: 1 }, /^params\.cursor must be a string\.$/],
        ['tools/call', { name: 'parse_ua', arguments: 1 }, /^params\.arguments must be an object\.$/],
        ['tools/call', { arguments: {} }, /^params\.name is required: a string\.$/],
      ] as const) {
        const { error } = read(await post(request(method, params, era)));
        assert.equal(error.code, -32602);
        assert.match(error.message, problem);
      }
    });

    test(`with an unknown cursor is rejected (${era})`, async () => {
      const { error } = read(await post(request('tools/list', { cursor: 'next' }, era)));
      assert.equal(error.code, -32602);
      assert.match(error.message, /omit/);
    });

    test(`may have null instead of an absent member, at every depth (${era})`, async () => {
      assert.equal(read(await post(request('tools/list', { cursor: null }, era))).result.tools.length, tools.length);
      for (const input of [null, { user_agent: null }]) {
        const { result } = read(await post(request('tools/call', { name: 'parse_ua', arguments: input }, era)));
        assert.equal(result.structuredContent.raw, 'curl/8.5.0');
      }
    });
  }

  test('may have null members in every message of the handshake', async () => {
    const { result } = read(
      await post({
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: {
            protocolVersion: '2025-06-18',
            capabilities: { roots: null, sampling: null },
            clientInfo: { name: 'test', version: '1', title: null },
            _meta: { progressToken: null },
          },
        },
      }),
    );
    assert.equal(result.protocolVersion, '2025-06-18');
    for (const params of [null, undefined])
      assert.deepEqual(read(await post({ body: { jsonrpc: '2.0', id: 1, method: 'ping', params } })).result, {});
    assertRejected(await post({ body: { jsonrpc: '2.0', id: null, method: 'ping' } }), 400, -32600);
    const deep = (levels: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(levels)}null${']'.repeat(levels)}}}`;
    assert.deepEqual(read(await post({ body: deep(30) })).result, {});
    // The id is read although nothing else is.
    for (const levels of [31, 30_000]) assertRejected(await post({ body: deep(levels) }), 400, -32600, 1);
  });

  test('with a long invalid argument gets at most 100 characters of it back', async () => {
    const long = 'x'.repeat(5000);
    const labels = Array(4).fill('x'.repeat(60)).join('.');
    for (const [name, input] of [
      ['whoami', { [long]: 1 }],
      ['check_headers', { headers: { [`${long} `]: 'a' } }],
      ['check_headers', { headers: { a: { [long]: 1 } } }],
      ['parse_ua', { user_agent: [long] }],
      ['parse_ua', { user_agent: long.repeat(2) }],
      ['dns_lookup', { name: long }],
      ['dns_lookup', { name: `${long}.example/${long}` }],
      ['dns_lookup', { name: 'a.example', type: long }],
      ['rdap_lookup', { query: long }],
      ['rdap_lookup', { query: `${long}.example` }],
      ['rdap_lookup', { query: `https://${labels}.com/` }],
      ['rdap_lookup', { query: `${'x'.repeat(63)}.${'x'.repeat(60)}.onion` }],
      ['dns_lookup', { name: `https://${labels}.com/` }],
      [long, {}],
    ] as const) {
      const { result, error } = read(await post(call(name, input)));
      const message = error?.message ?? result.content[0].text;
      assert.ok(!/[x.]{101}/.test(message), message);
    }
  });

  test('counts against its rates before its input is validated, each call of a batch separately', async () => {
    const counted: string[][] = [];
    const outcomes: (readonly [tool: string, outcome: string])[] = [];
    const send = poster(undefined, {
      countToolCall: (tool, outcome) => void outcomes.push([tool, outcome]),
      limit: (rates, key) => {
        if (rates.includes('messages')) return decisionOf(true);
        counted.push([...rates, `${key}`]);
        return decisionOf(counted.length <= 3);
      },
    });
    const calls = ['dns_lookup', 'parse_ua', 'nope', 'whoami', 'rdap_lookup', 'nope'];
    const bodies = [...calls.map((name) => call(name, { name: '' }).body), request('tools/list').body];
    const results = read(await send({ body: bodies }));
    const isLimited = ({ result }: { result?: { _meta?: { code: string } } }) => result?._meta?.code === 'rate_limited';
    assert.deepEqual(results.map(isLimited), [false, false, false, true, true, true, false]);
    assert.match(errors.rate_limited.message, /wait 60 seconds/);
    assert.deepEqual(
      outcomes.filter(([, outcome]) => outcome === 'rate_limited').map(([tool]) => tool),
      ['whoami', 'rdap_lookup', 'unknown'],
    );
    assert.deepEqual(
      counted,
      calls.map((name) => ['tools', ...(name.endsWith('lookup') ? ['lookup'] : []), 'key']),
    );
  });

  for (const era of eras) {
    test(`above the rate of tools gets a result with isError, not an HTTP error (${era})`, async () => {
      const response = await poster(undefined, { limit: ([rate]) => decisionOf(rate === 'messages') })(
        call('whoami', {}, era),
      );
      assert.equal(response.status, 200);
      const { isError, content, _meta } = read(response).result;
      assert.equal(isError, true);
      assert.equal(
        content[0].text,
        'Too many requests from this IP; wait 60 seconds. Users of one assistant may share the IP address.',
      );
      assert.deepEqual([_meta.code, _meta.retryAfterSeconds], ['rate_limited', 60]);
    });

    test(`that fails has the code of the error for programs (${era})`, async () => {
      for (const [name, input, code] of [
        ['parse_ua', { user_agent: {} }, 'invalid_query'],
        ['dns_lookup', { name: '192.0.2.1' }, 'invalid_query'],
        ['dns_lookup', { name: 'a.example' }, 'upstream_error'],
        ['rdap_lookup', { query: 'a.nowhere' }, 'upstream_error'],
      ] as const) {
        const { _meta, content, isError } = read(await post(call(name, input, era))).result;
        assert.deepEqual([isError, _meta.code], [true, code], content[0].text);
        assert.equal(_meta.retryAfterSeconds, undefined);
      }
    });
  }

  test('is never mixed up with another of the same id', async () => {
    const numbers = Array.from({ length: 500 }, (_, number) => number);
    await Promise.all(
      numbers.map(async (number) => {
        const era = eras[number % 2] as Era;
        const { result } = read(await post(call('parse_ua', { user_agent: `Caller/${number}` }, era)));
        assert.equal(result.structuredContent.raw, `Caller/${number}`);
      }),
    );
  });
});
