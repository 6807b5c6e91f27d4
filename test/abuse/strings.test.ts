/** Long hostile strings in every header and query cost no parser more than a moment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObservedRequest } from '../../src/core/observed.ts';
import { createApp } from '../../src/http/app.ts';
import { cpuClock, momentMs } from '../cpu-time.ts';
import { seenAll } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { roundsOf } from '../random.ts';
import { noBody } from '../request-context.ts';

/** Measured: at most 10 ms. Garbage of other work may be collected meanwhile. */
const capMs = momentMs();
const lengths = [3_800, 15_000];

const units = [
  ...[
    'a',
    ' ',
    ',',
    ';',
    '=',
    '"',
    '\\',
    '/',
    '(',
    '[',
    '<',
    '&',
    '%',
    '.',
    ':',
    '-',
    '0',
    '\t',
    '\0',
    '\xff',
    '\u202e',
    '🤖',
  ],
  ...[
    'a,',
    'a;',
    'a=b;',
    '"\\',
    '")(',
    '%2',
    '1.',
    '::',
    'q=0.1,',
    'a/1 ',
    '(a; ',
    '"a";v="1", ',
    'for=1, ',
    'max-age=1, ',
  ],
  ...[
    '127.0.0.1, ',
    'sig1=("@method");',
    '?1',
    ':YQ==:',
    'en-US,',
    'text/html;q=1, ',
    'Mozilla/5.0 (',
    'Chrome/1.1 ',
    '../',
  ],
];
const headers = [
  ...[
    'accept',
    'accept-encoding',
    'accept-language',
    'cookie',
    'dnt',
    'forwarded',
    'host',
    'priority',
    'referer',
    'user-agent',
    'via',
  ],
  ...[
    'sec-ch-ua',
    'sec-ch-ua-full-version-list',
    'sec-ch-ua-model',
    'sec-ch-ua-platform',
    'sec-fetch-site',
    'sec-purpose',
  ],
  ...[
    'signature',
    'signature-agent',
    'signature-input',
    'x-forwarded-for',
    'x-real-ip',
    'content-type',
    'if-none-match',
    'traceparent',
  ],
];
const queries = [
  '/api/dns?name=',
  '/api/rdap?q=',
  '/api/headers-check?url=',
  '/api/ip?ip=',
  '/json?format=',
  '/lookup/dns?name=',
];

const app = createApp({ publicUrl: 'https://seenby.example', contact: null });

async function costOf(changed: Partial<ObservedRequest>): Promise<number> {
  const cpuMs = cpuClock();
  const response = await app({ ...seenAll, ...changed }, platformOf(), noBody);
  assert.ok(response.status < 500 || response.status === 502, `${response.status}`);
  return cpuMs();
}

/** Requests with each combination; a share of them, evenly spread, unless all are tested. */
const requests = [...units, ...units.map((unit) => `a${unit}`)].flatMap((unit, row) =>
  lengths.flatMap((length) => {
    const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
    return [
      ...headers.map((name, at) => {
        const path = ['/', '/json', '/fingerprint', '/headers'][(row + at) % 4] ?? '/';
        const accept = path === '/' ? 'text/html' : '*/*';
        const change = { path, headers: { ...seenAll.headers, accept, [name]: text } };
        return { name: `${name} of ${length} × ${JSON.stringify(unit)} at ${path}`, change };
      }),
      ...queries.map((start) => {
        const [path = '', parameter = ''] = start.split('?');
        const change = { path, query: `?${parameter}${encodeURIComponent(text.toWellFormed())}`.slice(0, length) };
        return { name: `${start} with ${length} × ${JSON.stringify(unit)}`, change };
      }),
    ];
  }),
);

test('every combination of a header or query with a long hostile string takes a moment', async (context) => {
  const step = Math.ceil(requests.length / roundsOf(requests.length, 0.2));
  let slowest = { name: '', ms: 0 };
  let count = 0;
  for (let at = 0; at < requests.length; at += step) {
    const { name, change } = requests[at] ?? assert.fail();
    let ms = await costOf(change);
    // Again, because the first run may contain the compilation of code.
    if (ms > slowest.ms) ms = Math.min(ms, await costOf(change), await costOf(change));
    if (ms > slowest.ms) slowest = { name, ms };
    count += 1;
    assert.ok(ms <= capMs, `${name}: ${ms} ms`);
  }
  context.diagnostic(`${count} combinations; the slowest took ${slowest.ms.toFixed(1)} ms: ${slowest.name}`);
});
