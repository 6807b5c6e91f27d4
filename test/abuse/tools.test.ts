/** Floods of expensive tool calls: memory and event-loop turns stay bounded, and other clients are served. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '../random.ts';
import { withstand } from './bounds.ts';
import type { ToolBody } from './tool-attacks.ts';

/** Ends what hangs. */
const limitMs = 120_000;
/** Without rate limits, the worst case: what is limited is not computed. */
const settings = { RATE_LIMIT_TOOLS: '0' };

/** Requests of each of 40 connections; a test takes some seconds. */
const floods: readonly (readonly [body: ToolBody, requests: number, status: number])[] = [
  ['700 headers', 20, 200],
  ['a User-Agent of 40 KB', 20, 200],
  ['a long User-Agent', 20, 200],
  ['ten calls of parse_ua', 6, 200],
  ['ten calls of check_headers', 8, 200],
  ['55 KB of metadata', 15, 200],
  ['too many bytes', 20, 413],
];

for (const [body, all, status] of floods) {
  const requests = roundsOf(all, 0.3);
  test(`40 connections with ${requests} pipelined tool calls each: ${body}`, (context) =>
    withstand(
      context,
      { settings, name: 'callTools', attack: { body, connections: 40, requests, limitMs } },
      ({ result }) => {
        assert.deepEqual(result.statuses, { [status]: 40 * requests });
      },
    ));
}

test('8 HTTP/2 connections with 100 concurrent tool calls each', (context) =>
  withstand(
    context,
    { settings, name: 'callToolsOverHttp2', attack: { body: '700 headers', connections: 8, requests: 100, limitMs } },
    ({ result }) => assert.ok((result.statuses[200] ?? 0) > 0, JSON.stringify(result)),
  ));

for (const [connections, streams] of [
  [150, 0],
  [8, 100],
] as const)
  test(`${connections} connections that hold the bodies of ${streams || 1} requests each do not keep others from tools`, (context) =>
    withstand(
      context,
      { settings, name: 'holdBodies', attack: { connections, streams, bytes: 65_000, holdMs: 2_000 } },
      async ({ service, result }) => {
        assert.equal(result.status, 200);
        assert.ok((await service.metric('seenby_rejections_total{reason="body_bytes"}')) > 0);
      },
    ));
