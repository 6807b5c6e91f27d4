/** Budget of each row of the benchmark. A ratio to a bare server is by CPU time per request. */
import { printLine } from './report.ts';

const ofBare = { unit: ' of bare', digits: 2 } as const;
const timesBare = { unit: ' × bare', digits: 1 } as const;
const timesCaddy = { unit: ' × Caddy', digits: 2 } as const;
const timesBareAlone = { unit: ' × bare', digits: 2 } as const;
const megabytes = { unit: ' MB', digits: 0 } as const;
const ofCpu = { unit: ' ms of CPU', digits: 2 } as const;
const noisy = 0.1;
const steady = 0.05;

/** `title` is that of the row in docs/benchmarks.md; `tolerance` the permitted difference, relative to the required value. */
export const budgets = {
  ip: { title: '`/ip`, Chrome', atLeast: 0.9, tolerance: steady, ...ofBare },
  json: { title: '`/json`, Chrome, with location', atLeast: 0.44, tolerance: steady, ...ofBare },
  'json-new-connection': {
    title: '`/json`, a new connection for each request',
    atLeast: 0.33,
    tolerance: noisy,
    ...ofBare,
  },
  'json-full-versions': {
    title: '`/json`, a different full-version User-Agent in each request',
    atLeast: 0.3,
    tolerance: noisy,
    ...ofBare,
  },
  fingerprint: { title: '`/fingerprint`, Chrome', atLeast: 0.5, tolerance: noisy, ...ofBare },
  'json-tls': { title: '`/json` over TLS', atLeast: 0.47, tolerance: steady, ...ofBare },
  'json-http2': {
    title: '`/json` over HTTP/2, 4 connections with 20 streams each',
    atLeast: 0.33,
    tolerance: noisy,
    ...ofBare,
  },
  'json-http2-one-stream': {
    title: '`/json` over HTTP/2, one request after another on one connection',
    atLeast: 0.46,
    tolerance: noisy,
    ...ofBare,
  },
  'visit-ip': { title: 'TLS visit to `/ip`: full handshake and request', atLeast: 0.87, tolerance: steady, ...ofBare },
  'visit-json': { title: 'TLS visit to `/json`', atLeast: 0.76, tolerance: steady, ...ofBare },
  'visit-json-http2': { title: 'TLS visit to `/json` over HTTP/2', atLeast: 0.72, tolerance: noisy, ...ofBare },
  'visit-alone': {
    title: 'Visit to `/ip`, alone: a new connection from a new process, 30 a second',
    atMost: 1.15,
    tolerance: noisy,
    ...timesBareAlone,
  },
  'visit-alone-tls': { title: 'TLS visit to `/ip`, alone', atMost: 1.25, tolerance: noisy, ...timesBareAlone },
  'visit-alone-http2': {
    title: 'TLS visit to `/json` over HTTP/2, alone',
    atMost: 1.4,
    tolerance: noisy,
    ...timesBareAlone,
  },
  'visit-alone-http3': {
    title: 'Visit to `/json` over HTTP/3, alone',
    atMost: 2,
    tolerance: noisy,
    ...timesCaddy,
  },
  'http3-streams': {
    title: '`/json` over HTTP/3, 90 requests together on a new connection',
    atMost: 1.6,
    tolerance: noisy,
    ...timesCaddy,
  },
  page: { title: 'The page at `/`, Brotli', atMost: 2, tolerance: noisy, ...ofCpu },
  docs: { title: '`/docs`, Brotli', atMost: 0.12, tolerance: noisy, ...ofCpu },
  'mcp-2025-06-18': {
    title: 'Tool call (`parse_ua`), revision 2025-06-18',
    atMost: 3.2,
    tolerance: noisy,
    ...timesBare,
  },
  'mcp-2026-07-28': {
    title: 'Tool call (`parse_ua`), revision 2026-07-28',
    atMost: 3.8,
    tolerance: noisy,
    ...timesBare,
  },
  memory: {
    title: 'Resident memory after the start, with city and ASN databases',
    atMost: 220,
    tolerance: steady,
    ...megabytes,
  },
  start: { title: 'First response after process start', atMost: 1, tolerance: 0.2, unit: ' s', digits: 2 },
  mixed: { title: 'Growth of memory over an hour of mixed visits', atMost: 20, tolerance: noisy, ...megabytes },
  'lookup-time': { title: 'Lookup', atMost: 2, tolerance: noisy, unit: ' ms added', digits: 2 },
  'hanging-lookups': {
    title: '`/ip` during 200 lookups that hang',
    atLeast: 0.9,
    tolerance: noisy,
    unit: ' of /ip alone',
    digits: 2,
  },
  'lookup-growth': { title: 'Growth of memory over 8,000 lookups', atMost: 20, tolerance: noisy, ...megabytes },
} as const;

export type RowName = keyof typeof budgets;

export const formatValue = (name: RowName, value: number): string =>
  `${value.toFixed(budgets[name].digits)}${budgets[name].unit}`;

/** The required value, without the tolerance. */
export function requiredOf(name: RowName): number {
  const budget = budgets[name];
  return 'atLeast' in budget ? budget.atLeast : budget.atMost;
}

/** Whether a value misses its budget by more than the tolerance. */
export function isWorse(name: RowName, value: number): boolean {
  const budget = budgets[name];
  return 'atLeast' in budget
    ? value < budget.atLeast * (1 - budget.tolerance)
    : value > budget.atMost * (1 + budget.tolerance);
}

/** Prints the values that miss their budget, and makes this process fail if there are any. */
export function reportWorse(measured: readonly { readonly name: RowName; readonly value: number }[]): void {
  const worse = measured.filter(({ name, value }) => isWorse(name, value));
  printLine(worse.length === 0 ? '\nEvery value is within its budget.' : '\nWorse than the budget:');
  for (const { name, value } of worse) {
    const expected = `${formatValue(name, requiredOf(name))} required, tolerance ${budgets[name].tolerance * 100} %`;
    printLine(`  ${name}: ${formatValue(name, value)} (${expected})`);
  }
  if (worse.length > 0) process.exitCode = 1;
}
