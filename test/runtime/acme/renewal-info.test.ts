/** What a certificate authority suggests about renewals: which questions it gets, and which of its responses count. */
import assert from 'node:assert/strict';
import { after, describe, mock, test } from 'node:test';
import type { OutboundResult } from '../../../src/core/platform.ts';
import type { CertificateInUse } from '../../../src/runtime/acme/in-use.ts';
import type { Suggestion } from '../../../src/runtime/acme/renewal.ts';
import { certificateIdOf, createSuggestions } from '../../../src/runtime/acme/renewal-info.ts';
import { createRequests } from '../../../src/runtime/acme/requests.ts';
import { createLocalhostCertificate } from '../../../src/runtime/certificate.ts';
import { exampleOfRfc9773 } from './authority.ts';

const { pem: cert, id } = exampleOfRfc9773;

test('identifies a certificate as RFC 9773 states it', async () => {
  assert.equal(certificateIdOf(cert), id);
  assert.equal(certificateIdOf((await createLocalhostCertificate()).cert), null);
});

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const directoryUrl = 'https://ca.example/dir';
const suggestedWindow = { start: '2026-01-01T00:00:00Z', end: '2026-01-02T01:00:00+01:00' };
const suggestion = { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 0, 2) };

let nowMs = 0;
mock.method(performance, 'now', () => nowMs);
after(() => mock.restoreAll());

type Reply = Readonly<{ body?: unknown; headers?: Record<string, string>; status?: number }> | { failure: 'timeout' };

/** An authority, and a certificate in use. */
function createRun(directory: unknown = { renewalInfo: 'https://ca.example/info/' }) {
  const state = {
    reply: { body: { suggestedWindow } } as Reply,
    cert: cert as string | null,
    isDue: false,
    isPostponable: true,
  };
  const urls: string[] = [];
  const suggestions: Suggestion[] = [];
  const explanations: (string | null)[] = [];
  const respond = ({ body, headers = {}, status = 200 }: Exclude<Reply, { failure: 'timeout' }>): OutboundResult => ({
    status,
    headers,
    setCookies: [],
    body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body ?? null)),
  });
  const send = createRequests(async ({ url }) => {
    urls.push(url);
    if (url === directoryUrl) return respond({ body: directory });
    return 'failure' in state.reply ? state.reply : respond(state.reply);
  }, null);
  const inUse = {
    certificate: () => (state.cert === null ? null : { cert: state.cert, key: '' }),
    isDue: () => state.isDue,
    isPostponable: () => state.isPostponable,
    suggest(_: string, suggestion: Suggestion, explanation: string | null): void {
      suggestions.push(suggestion);
      explanations.push(explanation);
    },
  };
  const update = createSuggestions(send, directoryUrl, inUse as unknown as CertificateInUse);
  /** Whether the authority is asked after this time, and not before. */
  const isAskedAfter = async (ms: number): Promise<boolean> => {
    nowMs += ms - 1;
    const before = urls.length;
    await update();
    const isEarly = urls.length > before;
    nowMs += 1;
    await update();
    return !isEarly && urls.length > before;
  };
  return { state, urls, suggestions, explanations, update, isAskedAfter };
}

test('asks once for the certificate in use, and every six hours', async () => {
  const { state, urls, suggestions, update, isAskedAfter } = createRun();
  await update();
  assert.deepEqual(urls, [directoryUrl, `https://ca.example/info/${id}`]);
  assert.deepEqual(suggestions, [suggestion]);
  assert.equal(await isAskedAfter(6 * hourMs), true);
  // Another certificate, which has its own suggestion.
  state.cert = (await createLocalhostCertificate()).cert;
  await update();
  assert.equal(urls.length, 5);
  assert.equal(suggestions.length, 2);
});

test('asks about nothing without a certificate, and not about one that must be renewed', async () => {
  const { state, urls, update } = createRun();
  Object.assign(state, { isDue: true, isPostponable: false });
  await update();
  Object.assign(state, { isDue: false, cert: null });
  await update();
  assert.deepEqual(urls, []);
});

for (const reply of [{ body: { suggestedWindow } }, { failure: 'timeout' }] as const)
  test(`asks once about a certificate that is due, also if the result is ${Object.keys(reply)}`, async () => {
    const { state, urls, suggestions, update, isAskedAfter } = createRun();
    Object.assign(state, { isDue: true, reply });
    await update();
    assert.deepEqual(suggestions, 'body' in reply ? [suggestion] : []);
    assert.equal(urls.length, 2);
    assert.equal(await isAskedAfter(6 * hourMs), false);
    // The suggestion, if there is one, has postponed it.
    state.isDue = false;
    await update();
    assert.equal(urls.length, 4);
  });

test('asks again when the authority permits it, after a minute to a day', async () => {
  for (const [retryAfter, pauseMs] of [
    ['7200', 2 * hourMs],
    ['1', minuteMs],
    ['999999999999', 24 * hourMs],
    ['0', 6 * hourMs],
    ['soon', 6 * hourMs],
  ] as const)
    for (const reply of [{ body: { suggestedWindow } }, { body: {} }, { status: 503 }]) {
      const { state, update, isAskedAfter } = createRun();
      state.reply = { ...reply, headers: { 'retry-after': retryAfter } };
      await update();
      assert.equal(await isAskedAfter(pauseMs), true, `${retryAfter} ${JSON.stringify(reply)}`);
    }
});

test('passes on an explanation only if it is an https URL, without control characters, and bounded', async () => {
  for (const [explanationURL, expected] of [
    ['https://ca.example/incident?id=1', 'https://ca.example/incident?id=1'],
    ['HTTPS://ca.example', 'https://ca.example/'],
    ['https://ca.example/a\n\u001b[31m\u202eb', 'https://ca.example/a%1B[31m%E2%80%AEb'],
    [`https://ca.example/${'a'.repeat(100_000)}`, `https://ca.example/${'a'.repeat(281)}…`],
    ['http://ca.example/', null],
    ['javascript:alert(1)', null],
    ['https://', null],
    ['', null],
    [['https://ca.example/'], null],
    [undefined, null],
  ] as const) {
    const { state, suggestions, explanations, update } = createRun();
    state.reply = { body: { suggestedWindow, explanationURL } };
    await update();
    assert.deepEqual([suggestions, explanations], [[suggestion], [expected]]);
  }
});

describe('keeps to its own rule if', () => {
  for (const [name, directory] of [
    ['the directory has no such URL', {}],
    ['the directory is no object', 'none'],
    ['the URL is not a text', { renewalInfo: { a: 1 } }],
    ['the URL is not https', { renewalInfo: 'http://10.0.0.1/' }],
  ] as const)
    test(name, async () => {
      const { urls, suggestions, update, isAskedAfter } = createRun(directory);
      await update();
      assert.deepEqual([urls, suggestions], [[directoryUrl], []]);
      assert.equal(await isAskedAfter(6 * hourMs), true);
    });

  const { start, end } = suggestedWindow;
  for (const [name, reply] of [
    ['there is no response', { failure: 'timeout' }],
    ['the certificate is unknown', { status: 404, body: 'none' }],
    ['the response is a page', { body: '<html>' }],
    ['the response is a list', { body: [suggestedWindow] }],
    ['there is no window', { body: {} }],
    ['the window is a list', { body: { suggestedWindow: [start, end] } }],
    ['the end is missing', { body: { suggestedWindow: { start } } }],
    ['the window is empty', { body: { suggestedWindow: { start, end: start } } }],
    ['the window ends before it begins', { body: { suggestedWindow: { start: end, end: start } } }],
    ['a time is a number', { body: { suggestedWindow: { start: 0, end } } }],
    ['a time has no zone', { body: { suggestedWindow: { start: '2026-01-01T00:00:00', end } } }],
    ['a time does not exist', { body: { suggestedWindow: { start: '2026-13-01T00:00:00Z', end } } }],
    ['a time is long', { body: { suggestedWindow: { start: `2026-01-01T00:00:00.${'0'.repeat(100_000)}Z`, end } } }],
  ] as const)
    test(name, async () => {
      const { state, suggestions, update } = createRun();
      state.reply = reply;
      await update();
      assert.deepEqual(suggestions, []);
    });
});
