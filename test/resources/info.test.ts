/** Info matches its schema exactly, whichever values the edge observed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { toJson } from '../../src/core/text.ts';
import { headers, RequestHeaders } from '../../src/resources/connection.ts';
import { Info, info } from '../../src/resources/info.ts';
import { TlsConnection, tlsConnection } from '../../src/resources/tls.ts';
import { seenAll, seenNothing } from '../observed.ts';

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const of = (observed: typeof seenAll): Info => info(observed, 'https://seenby.example', nowMs);

/** Compares keys at every depth: none missing, none extra, none undefined. */
function assertShape(schema: z.core.$ZodType, value: unknown, path: string): void {
  assert.notEqual(value, undefined, path);
  if (!(schema instanceof z.ZodObject)) return;
  assert.ok(typeof value === 'object' && value !== null, path);
  assert.deepEqual(Object.keys(value).sort(), Object.keys(schema.shape).sort(), path);
  for (const [key, child] of Object.entries(schema.shape)) {
    assertShape(child as z.core.$ZodType, (value as Record<string, unknown>)[key], `${path}.${key}`);
  }
}

for (const [name, observed] of Object.entries({ everything: seenAll, nothing: seenNothing })) {
  test(`has exactly the fields of the schema if ${name} was observed`, () => {
    const value = of(observed);
    assertShape(Info, value, 'info');
    assert.deepEqual(Info.parse(value), value);
    assert.deepEqual(JSON.parse(toJson(value)), value);
    assert.deepEqual(TlsConnection.strict().parse(tlsConnection(observed)), tlsConnection(observed));
    assert.deepEqual(RequestHeaders.strict().parse(headers(observed)), headers(observed));
  });
}

test('has the fields in their order, and no others, whatever else an edge observed', () => {
  const { version, ...others } = seenAll.tls;
  const tls = { internal: 'x', ...others, version };
  assert.equal(toJson(of({ ...seenAll, tls })), toJson(of(seenAll)));
});

test('contains the observed values', () => {
  const { network, tls, http, headers, edgeHeaders } = of(seenAll);
  const { autonomousSystem, colo, transport } = seenAll;
  assert.partialDeepStrictEqual(network, { ...autonomousSystem, colo, ...transport });
  assert.partialDeepStrictEqual(tls, seenAll.tls);
  const { protocol, method, priority, acceptEncoding } = seenAll;
  assert.partialDeepStrictEqual(http, { protocol, method, priority, acceptEncoding });
  assert.deepEqual([headers, edgeHeaders], [seenAll.headers, seenAll.edgeHeaders]);
  assert.partialDeepStrictEqual(tlsConnection(seenAll), { ...seenAll.tls, httpProtocol: 'HTTP/2' });
});

test('derives the IP version from the address', () => {
  for (const [ip, version] of [
    ['192.0.2.1', 4],
    ['2001:db8::1', 6],
    ['::', 6],
    [null, null],
  ] as const) {
    assert.equal(of({ ...seenAll, ip }).ipVersion, version);
  }
});

test('contains the time, and the URLs of the pages', () => {
  const { time, meta } = of(seenNothing);
  assert.deepEqual(time, { server: '2026-01-02T03:04:05.678Z', serverMs: nowMs });
  assert.deepEqual(meta, {
    docs: 'https://seenby.example/docs',
    privacy: 'https://seenby.example/privacy',
    simulated: true,
  });
});

test('keeps a header named __proto__', () => {
  const headers: Record<string, string> = Object.create(null);
  const name: string = '__proto__';
  headers[name] = 'x';
  const value = of({ ...seenAll, headers });
  assert.match(toJson(value), /"__proto__": "x"/);
  assert.equal(value.userAgent.raw, '');
});
