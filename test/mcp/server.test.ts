/** The tool server as a program meets it that writes its messages itself. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { errors } from '../../src/core/errors.ts';
import type { Answer } from '../../src/http/app.ts';
import { maxBatch, maxBodyBytes, type ServedTool } from '../../src/mcp/server.ts';
import { initializedVersions, instructions, selfContainedVersions, serverInfo } from '../../src/mcp/server-info.ts';
import { type Post, poster } from './served.ts';

const post = poster();

const eras = ['initialize', 'self-contained'] as const;
type Era = (typeof eras)[number];

const meta = (name: string) => `io.modelcontextprotocol/${name}`;
const [modern] = selfContainedVersions;
const envelope = {
  [meta('protocolVersion')]: modern,
  [meta('clientInfo')]: { name: 'test', version: '1' },
  [meta('clientCapabilities')]: {},
};

/** One request as a client of an era sends it. */
function request(method: string, params: Record<string, unknown> = {}, era: Era = 'initialize', id: number = 1): Post {
  const message = { jsonrpc: '2.0', id, method, params };
  if (era === 'initialize') return { body: message };
  const name = typeof params.name === 'string' ? { 'mcp-name': params.name } : {};
  return {
    body: { ...message, params: { ...params, _meta: envelope } },
    headers: { 'mcp-protocol-version': modern, 'mcp-method': method, ...name },
  };
}

const call = (name: string, input: object = {}, era?: Era): Post =>
  request('tools/call', { name, arguments: input }, era);

// biome-ignore lint/suspicious/noExplicitAny: an answer is of no type before a test has looked at it
function read(answer: Answer): any {
  assert.equal(answer.headers['Cache-Control'], 'no-store');
  assert.equal(answer.headers['X-Content-Type-Options'], 'nosniff');
  assert.equal(answer.headers['Access-Control-Allow-Origin'], '*');
  assert.equal(answer.headers['Access-Control-Expose-Headers'], 'Mcp-Session-Id');
  assert.equal(answer.headers['Access-Control-Allow-Credentials'], undefined);
  if (answer.body === '') return null;
  assert.equal(answer.headers['Content-Type'], 'application/json');
  return JSON.parse(answer.body);
}

function assertRefused(answer: Answer, status: number, code: number): void {
  assert.equal(answer.status, status);
  const { jsonrpc, id, error } = read(answer);
  assert.deepEqual([jsonrpc, id, error.code], ['2.0', null, code]);
  assert.match(error.message, /^[A-Z].+/);
}

/** A tool that counts its calls. */
function counting(): { tool: ServedTool; count: () => number } {
  let calls = 0;
  const tool: ServedTool = {
    definition: { name: 'count', inputSchema: { type: 'object' } },
    async run() {
      calls += 1;
      return { content: [] };
    },
  };
  return { tool, count: () => calls };
}

describe('a message', () => {
  for (const era of eras) {
    test(`of more than ${maxBodyBytes} bytes is refused before any tool runs (${era})`, async () => {
      const { tool, count } = counting();
      const send = poster([tool]);
      const { body, headers = {} } = call('count', {}, era);
      const short = JSON.stringify(body);
      // Bytes are counted, not characters.
      const padded = `${short.slice(0, -1)},"x":"é`;
      const fill = (bytes: number): string => `${padded}${' '.repeat(bytes - Buffer.byteLength(padded) - 2)}"}`;
      assertRefused(await send({ body: fill(maxBodyBytes + 1), headers }), 413, -32600);
      assert.equal(count(), 0);
      const exact = `${short}${' '.repeat(maxBodyBytes - Buffer.byteLength(short))}`;
      assert.equal(read(await send({ body: exact, headers })).error, undefined);
      assert.equal(count(), 1);
    });
  }

  test('that is not JSON, or no message, is refused', async () => {
    for (const body of ['', '{', 'nope', '\u0000']) assertRefused(await post({ body }), 400, -32700);
    for (const body of ['{}', '1', 'null', '"a"', '[]', '[1]', '[{}]'])
      assertRefused(await post({ body }), 400, -32600);
  });

  test('of another media type is refused', async () => {
    for (const type of ['', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a'])
      assertRefused(await post({ ...request('ping'), headers: { 'content-type': type } }), 415, -32000);
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
    assert.deepEqual(read(await post({ ...request('ping'), headers })).result, {});
  });

  test('is answered whatever Accept says, as long as JSON will do', async () => {
    for (const accept of ['', '*/*', 'application/*', 'application/json', 'text/event-stream, application/json;q=0.1'])
      assert.deepEqual(read(await post({ ...request('ping'), headers: { accept } })).result, {}, accept);
    for (const accept of ['text/html', 'text/event-stream', 'image/*'])
      assertRefused(await post({ ...request('ping'), headers: { accept } }), 406, -32000);
  });

  test('that asks for nothing gets an empty answer', async () => {
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, result: {} },
      [{ jsonrpc: '2.0', method: 'notifications/initialized' }],
    ]) {
      const answer = await post({ body });
      assert.equal(answer.status, 202);
      assert.equal(read(answer), null);
    }
  });

  test('with headers that are no ASCII is answered', async () => {
    const { body, headers = {} } = call('parse_ua', {}, 'self-contained');
    const answer = read(await post({ body, headers: { ...headers, 'user-agent': 'Tést/1 ☃', 'x-any': '☃' } }));
    assert.equal(answer.result.structuredContent.raw, 'Tést/1 ☃');
    assert.equal(read(await post({ body, headers: { ...headers, 'mcp-name': '☃' } })).error.code, -32020);
  });
});

describe('a batch', () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const answered = { jsonrpc: '2.0', id: 1, result: {} };

  test(`of more than ${maxBatch} messages is refused before any tool runs`, async () => {
    const { tool, count } = counting();
    const send = poster([tool]);
    const { body } = call('count');
    assertRefused(await send({ body: Array(maxBatch + 1).fill(body) }), 400, -32600);
    assert.equal(count(), 0);
    assert.equal(read(await send({ body: Array(maxBatch).fill(body) })).length, maxBatch);
    assert.equal(count(), maxBatch);
  });

  test('is answered as one, each request once, equal ids too', async () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    assert.deepEqual(read(await post({ body: [ping] })), [answered]);
    assert.deepEqual(read(await post({ body: [ping, notification, ping] })), [answered, answered]);
  });

  test('with anything in it that is no message, or of a revision without batches, is refused whole', async () => {
    const { tool, count } = counting();
    const send = poster([tool]);
    const { body } = call('count');
    const { body: selfContained } = call('count', {}, 'self-contained');
    for (const other of [{}, 1, null, [], selfContained])
      assertRefused(await send({ body: [body, other] }), 400, -32600);
    assert.equal(count(), 0);
  });
});

describe('revisions', () => {
  const initialize = (protocolVersion: string) =>
    request('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } });

  test('are those asked for, and 2025-06-18 for what is not known', async () => {
    for (const version of initializedVersions)
      assert.equal(read(await post(initialize(version))).result.protocolVersion, version);
    for (const version of ['2024-10-07', '2099-01-01', modern, ''])
      assert.equal(read(await post(initialize(version))).result.protocolVersion, '2025-06-18');
  });

  test('say the same of the server', async () => {
    const { result } = read(await post(initialize('2025-06-18')));
    assert.deepEqual(result.serverInfo, serverInfo);
    assert.equal(result.instructions, instructions);
    assert.deepEqual(result.capabilities, { tools: { listChanged: false } });
    const { result: discovered } = read(await post(request('server/discover', {}, 'self-contained')));
    assert.deepEqual(discovered.supportedVersions, [...selfContainedVersions]);
    assert.deepEqual(discovered._meta[meta('serverInfo')], serverInfo);
    assert.deepEqual([discovered.instructions, discovered.capabilities], [result.instructions, result.capabilities]);
    // What the server card allows.
    assert.ok(serverInfo.description.length <= 100);
    assert.match(serverInfo.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  });

  test('that are not served are refused, and those that are named', async () => {
    const unknown = { ...request('ping'), headers: { 'mcp-protocol-version': '2024-01-01' } };
    assertRefused(await post(unknown), 400, -32000);
    assert.match((await post(unknown)).body, /2025-06-18, 2025-11-25, 2025-03-26, 2024-11-05/);
    const { body, headers = {} } = call('parse_ua', {}, 'self-contained');
    const future = JSON.parse(JSON.stringify(body).replaceAll(modern, '2099-01-01'));
    const answer = await post({ body: future, headers: { ...headers, 'mcp-protocol-version': '2099-01-01' } });
    assert.deepEqual([answer.status, read(answer).error.data.supported], [400, [...selfContainedVersions]]);
    const forged = JSON.parse(JSON.stringify(body).replaceAll(modern, '[\\n1]'));
    assert.equal((await post({ body: forged })).status, 400);
  });

  test('without initialize open no stream either', async () => {
    const answer = await post(
      request('subscriptions/listen', { notifications: { toolsListChanged: true } }, 'self-contained'),
    );
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['Cache-Control'], 'no-store');
  });

  test('share one list of tools, the same in every answer', async () => {
    const [first, again] = [await post(request('tools/list')), await post(request('tools/list'))];
    assert.equal(first.body, again.body);
    const { result } = read(await post(request('tools/list', {}, 'self-contained')));
    assert.deepEqual(result.tools, read(first).result.tools);
  });
});

describe('methods', () => {
  test('other than POST are refused, with the one that is taken', async () => {
    for (const method of ['GET', 'HEAD', 'DELETE', 'PUT', 'PATCH']) {
      const answer = await post({ body: '', method });
      assert.equal(answer.status, 405);
      assert.equal(answer.headers.Allow, 'POST, OPTIONS');
      assert.equal(read(answer).error, 'method_not_allowed');
    }
  });

  test('and headers of the protocol are allowed to pages of any origin', async () => {
    const answer = await post({ body: '', method: 'OPTIONS', headers: { origin: 'https://page.example' } });
    assert.equal(read(answer), null);
    assert.equal(answer.status, 204);
    assert.equal(answer.headers['Access-Control-Allow-Methods'], 'POST, GET, DELETE');
    assert.equal(
      answer.headers['Access-Control-Allow-Headers'],
      'Content-Type, Mcp-Session-Id, Mcp-Protocol-Version, Last-Event-ID, Mcp-Method, Mcp-Name',
    );
    const headers = { origin: 'https://page.example', 'mcp-session-id': 'a', 'last-event-id': '1' };
    assert.deepEqual(read(await post({ ...request('ping'), headers })).result, {});
  });
});

test('on a loopback address only names of this machine, and the set one, are answered', async () => {
  for (const origin of [
    'http://localhost:8080',
    'http://127.0.0.1:8080',
    'https://[::1]:8443',
    'https://seenby.example',
  ])
    assert.equal((await post({ ...request('ping'), origin, onLoopback: true })).status, 200, origin);
  for (const origin of ['http://evil.example:8080', 'http://localhost.evil.example', 'http://127.0.0.1.evil.example'])
    assertRefused(await post({ ...request('ping'), origin, onLoopback: true }), 403, -32000);
  assert.equal((await post({ ...request('ping'), origin: 'http://any.example' })).status, 200);
});

describe('a call', () => {
  for (const era of eras) {
    test(`of a tool that does not exist is refused (${era})`, async () => {
      assert.equal(read(await post(call('nope', {}, era))).error.code, -32602);
      for (const name of ['__proto__', 'constructor'])
        assert.equal(read(await post(call(name, {}, era))).error.code, -32602);
    });

    test(`that fails unexpectedly says nothing of what failed (${era})`, async () => {
      const failure = new TypeError('of 203.0.113.9');
      const reported: unknown[] = [];
      const failing: ServedTool = {
        definition: { name: 'fail', inputSchema: { type: 'object' } },
        run: () => Promise.reject(failure),
      };
      const send = poster([failing], { report: (error) => reported.push(error) });
      const { result } = read(await send(call('fail', {}, era)));
      assert.deepEqual(result.content, [{ type: 'text', text: errors.internal_error.message }]);
      assert.equal(result.isError, true);
      assert.deepEqual(reported, [failure]);
    });
  }

  test('with input that does not fit says what to change', async () => {
    for (const [name, input, problem] of [
      ['parse_ua', { userAgent: 'a' }, /userAgent.+ user_agent\.$/],
      ['parse_ua', { user_agent: 1 }, /^user_agent: .+string/],
      ['dns_lookup', {}, /^name: .+ name, type\.$/],
      ['dns_lookup', { name: 'a.example', type: 'PTR' }, /A, AAAA, MX, TXT, NS, CNAME, CAA, SOA/],
      ['check_headers', { headers: { 'a b': 'c' } }, /"a b" is not a header name/],
      ['check_headers', { headers: 'User-Agent: a' }, /^headers: /],
    ] as const) {
      const { result } = read(await post(call(name, input)));
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, problem);
      assert.equal(result.structuredContent, undefined);
    }
  });

  for (const era of eras) {
    test(`with params that do not fit says which, and takes null for what is left out (${era})`, async () => {
      for (const [method, params, problem] of [
        ['tools/list', { cursor: 1 }, /^params\.cursor: .+string/],
        ['tools/call', { name: 'parse_ua', arguments: 1 }, /^params\.arguments: /],
        ['tools/call', { arguments: {} }, /^params\.name: /],
      ] as const) {
        const { error } = read(await post(request(method, params, era)));
        assert.equal(error.code, -32602);
        assert.match(error.message, problem);
      }
      assert.equal(read(await post(request('tools/list', { cursor: null }, era))).result.tools.length, 5);
      const { result } = read(await post(request('tools/call', { name: 'parse_ua', arguments: null }, era)));
      assert.equal(result.structuredContent.raw, 'curl/8.5.0');
    });
  }

  test('of a lookup spends from the shared rate before anything else, each in a batch too', async () => {
    const spent: unknown[] = [];
    const send = poster(undefined, {
      limit: (rates, key) => {
        spent.push([...rates, key]);
        return spent.length <= 3;
      },
    });
    const lookups = [call('dns_lookup', { name: '' }), call('rdap_lookup', {}), call('rdap_lookup', { query: '' })];
    const others = [call('parse_ua'), call('whoami'), call('check_headers'), request('tools/list')];
    const bodies = [...lookups, ...others, ...lookups].map(({ body }) => body);
    const answers = read(await send({ body: bodies }));
    const texts = answers.map(({ result }: { result: { content?: { text: string }[] } }) => result.content?.[0]?.text);
    assert.deepEqual(
      texts.map((text: string) => text === errors.rate_limited.message),
      [false, false, false, false, false, false, false, true, true, true],
    );
    assert.deepEqual(spent, Array(6).fill(['lookup', 'key']));
    assert.ok(answers.slice(-3).every(({ result }: { result: { isError: boolean } }) => result.isError));
  });

  test('is never mixed with another of the same id', async () => {
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
