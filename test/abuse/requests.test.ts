/** Floods of requests on few connections: memory stays bounded, and other clients are served. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withstand } from './bounds.ts';
import { type RejectedWrites, rejectedWrites } from './rejected-writes.ts';

/** A page that is rendered and compressed for each request. */
const path = '/lookup/rdap';
const settings = { RATE_LIMIT_GENERAL: '0' };
const pipelined = { connections: 1, requests: 1_000, holdMs: 1_500, path, coding: '' };

for (const coding of ['br', 'gzip', 'zstd'])
  test(`1,000 pipelined requests for a page in ${coding}, unread`, (context) =>
    withstand(context, { settings, name: 'pipelineRequests', attack: { ...pipelined, coding } }));

test('5 connections with 10,000 pipelined requests for a page each, unread', (context) =>
  withstand(context, {
    settings,
    name: 'pipelineRequests',
    attack: { ...pipelined, coding: 'br', connections: 5, requests: 10_000, holdMs: 3_000 },
  }));

test('8 connections with 1,600 pipelined requests for /openapi.json in all, unread', (context) =>
  withstand(context, {
    settings: { RATE_LIMIT_DOCUMENTS: '0' },
    name: 'pipelineRequests',
    attack: { ...pipelined, path: '/openapi.json', connections: 8, requests: 200 },
  }));

test('10,000 pipelined requests to /ip get their responses, in short turns', (context) =>
  withstand(
    context,
    {
      settings,
      name: 'pipelineRequests',
      attack: { ...pipelined, path: '/ip', requests: 10_000, holdMs: 20_000, isRead: true },
    },
    ({ result }) => {
      assert.equal(result.responses, 10_000);
    },
  ));

test('30 addresses that load the page one at a time, within their limits', (context) =>
  withstand(context, { name: 'loadPages', attack: { addresses: 30, durationMs: 2_000 } }, ({ result }) => {
    context.diagnostic(`${result} pages`);
    assert.ok(result > 0);
  }));

test('300 connections of 20 addresses that send what the parser rejects, in the same instant, again and again', (context) =>
  withstand(
    context,
    {
      settings: { ...settings, CONNECTION_RATE: '0', RATE_LIMIT_TOOLS: '0' },
      name: 'sendRejected',
      attack: {
        shapes: Object.keys(rejectedWrites) as RejectedWrites[],
        connections: 300,
        addresses: 20,
        durationMs: 5_000,
      },
    },
    ({ result }) => {
      context.diagnostic(`${result.closed} connections`);
      assert.ok(result.closed > 0);
    },
  ));
