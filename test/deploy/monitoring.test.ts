/** The alert rules and the dashboard use metrics that exist, and each alert fires when it should and only then. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { settings as settingList } from '../../src/core/settings.ts';
import { startNode } from '../node-service.ts';

const pathOf = (name: string): string => fileURLToPath(new URL(`../../docs/deploy/${name}`, import.meta.url));
const rulesFile = pathOf('alerts.yml');
const rules = readFileSync(rulesFile, 'utf8');
const dashboard = JSON.parse(readFileSync(pathOf('grafana-dashboard.json'), 'utf8'));
const targets: readonly { readonly expr: string }[] = dashboard.panels.flatMap(
  (panel: { targets?: readonly { expr: string }[] }) => panel.targets ?? [],
);
const folder = mkdtempSync(join(tmpdir(), 'seenby-monitoring-'));
after(() => rmSync(folder, { recursive: true }));
// In CI a missing program is a failure.
const skip = process.env.CI || spawnSync('promtool', ['--version']).status === 0 ? false : 'needs promtool';

/** JSON is YAML too. */
function promtool(command: readonly string[], file: string, content: object): string {
  writeFileSync(join(folder, file), JSON.stringify(content));
  const { status, stdout, stderr } = spawnSync('promtool', [...command, join(folder, file)], { encoding: 'utf8' });
  return status === 0 ? '' : stdout + stderr;
}

const minute = 60;
const day = 86_400;
/** Values of a series for two hours, one per minute: a constant, or a counter that grows by `step` each minute. */
const constant = (value: number): string => `${value}x120`;
const counter = (step: number): string => `0+${step}x120`;
/** promtool's clock starts at 1970-01-01. */
const at = { job: 'seenby', instance: 'a:9090' };
const series = (name: string, values: string, labels: Record<string, string> = {}) => ({
  series: `${name}{${Object.entries({ ...at, ...labels }).map(([label, value]) => `${label}="${value}"`)}}`,
  values,
});
const validity = (startDays: number, expiryDays: number) => [
  series('seenby_certificate_start_timestamp_seconds', constant(startDays * day)),
  series('seenby_certificate_expiry_timestamp_seconds', constant(expiryDays * day)),
];
const lookups = (failing: number) => [
  series('seenby_lookups_total', counter(10), { lookup: 'dns', outcome: 'ok' }),
  series('seenby_lookups_total', counter(failing), { lookup: 'dns', outcome: 'upstream_timeout' }),
];
/** Responses each minute, by endpoint and status. */
const responses = (counts: Readonly<Record<string, Readonly<Record<string, number>>>>) =>
  Object.entries(counts).flatMap(([endpoint, statuses]) =>
    Object.entries(statuses).map(([status, count]) =>
      series('seenby_requests_total', counter(count), { endpoint, status }),
    ),
  );
const handshakes = (failing: number) => [
  series('seenby_tls_handshakes_total', counter(60), { version: 'TLSv1.3', result: 'full' }),
  series('seenby_tls_handshakes_total', counter(failing), { version: 'none', result: 'failed' }),
];
const share = (used: string, value: number, limit: string) => [
  series(used, constant(value)),
  series(limit, constant(100)),
];
const duration = (slow: number) =>
  ['0.01', '0.5', '+Inf'].map((le) =>
    series('seenby_request_duration_seconds_bucket', counter(le === '0.01' ? 100 - slow : 100), {
      endpoint: '/ip',
      le,
    }),
  );
const one = (...each: Parameters<typeof series>) => [series(...each)];

interface Case {
  readonly alert: string;
  readonly firing: readonly object[];
  readonly quiet: readonly object[];
  /** Seconds after which it fires; before `for` has passed it does not. */
  readonly after: number;
  readonly before: number;
}

const cases: readonly Case[] = [
  {
    alert: 'SeenbyDown',
    firing: one('up', constant(0)),
    quiet: one('up', constant(1)),
    before: minute,
    after: 2 * minute,
  },
  {
    alert: 'SeenbyMissing',
    firing: one('up', constant(1), { job: 'other' }),
    quiet: one('up', constant(1)),
    before: 4 * minute,
    after: 5 * minute,
  },
  {
    alert: 'SeenbyRestarts',
    firing: one('process_start_time_seconds', '0+60x120'),
    quiet: one('process_start_time_seconds', '0x60 60x60'),
    before: 3 * minute,
    after: 5 * minute,
  },
  {
    alert: 'SeenbyServerErrors',
    firing: responses({ '/': { 200: 98, 500: 1, 503: 1 } }),
    quiet: responses({
      '/api/headers-check': { 200: 1, 502: 60, 504: 60 },
      '/lookup/headers': { 200: 1, 503: 60 },
      '/': { 200: 100, 503: 1 },
    }),
    before: 9 * minute,
    after: 16 * minute,
  },
  { alert: 'SeenbySlow', firing: duration(2), quiet: duration(0.5), before: 9 * minute, after: 12 * minute },
  {
    alert: 'SeenbyEventLoopBlocked',
    firing: one('nodejs_eventloop_lag_p99_seconds', constant(0.3)),
    quiet: one('nodejs_eventloop_lag_p99_seconds', constant(0.2)),
    before: 9 * minute,
    after: 10 * minute,
  },
  {
    alert: 'SeenbyMemoryHigh',
    firing: share('seenby_memory_bytes', 95, 'seenby_memory_limit_bytes'),
    quiet: share('seenby_memory_bytes', 85, 'seenby_memory_limit_bytes'),
    before: 9 * minute,
    after: 10 * minute,
  },
  {
    alert: 'SeenbyOpenFilesHigh',
    firing: share('process_open_fds', 95, 'process_max_fds'),
    quiet: share('process_open_fds', 85, 'process_max_fds'),
    before: 4 * minute,
    after: 5 * minute,
  },
  {
    alert: 'SeenbyConnectionsClosed',
    firing: one('seenby_rejections_total', counter(1), { reason: 'memory' }),
    quiet: one('seenby_rejections_total', counter(0), { reason: 'memory' }),
    before: 5 * minute,
    after: 7 * minute,
  },
  {
    alert: 'SeenbyClientsRejected',
    firing: one('seenby_rejections_total', counter(660), { reason: 'connection_rate' }),
    quiet: one('seenby_rejections_total', counter(540), { reason: 'connection_rate' }),
    before: 10 * minute,
    after: 15 * minute,
  },
  {
    alert: 'SeenbyHandshakesFail',
    firing: handshakes(70),
    quiet: handshakes(50),
    before: 15 * minute,
    after: 17 * minute,
  },
  { alert: 'SeenbyLookupsFail', firing: lookups(11), quiet: lookups(9), before: 15 * minute, after: 17 * minute },
  {
    alert: 'SeenbyOutboundFull',
    firing: share('seenby_outbound_requests', 81, 'seenby_outbound_requests_limit'),
    quiet: share('seenby_outbound_requests', 80, 'seenby_outbound_requests_limit'),
    before: 4 * minute,
    after: 5 * minute,
  },
  {
    alert: 'SeenbyCertificateNotRenewed',
    firing: validity(-10, 3),
    quiet: validity(-10, 4),
    before: 59 * minute,
    after: 60 * minute,
  },
  {
    alert: 'SeenbyCertificateExpires',
    firing: validity(-1, 1),
    quiet: validity(-1, 2),
    before: 4 * minute,
    after: 6 * minute,
  },
  {
    alert: 'SeenbyDatabaseOld',
    firing: one('seenby_database_built_timestamp_seconds', constant(-60 * day), { database: 'city' }),
    quiet: one('seenby_database_built_timestamp_seconds', constant(-58 * day), { database: 'city' }),
    before: 59 * minute,
    after: 62 * minute,
  },
  {
    alert: 'SeenbyRateStoreLost',
    firing: one('seenby_rate_store_connected', constant(0)),
    quiet: one('seenby_rate_store_connected', constant(1)),
    before: 4 * minute,
    after: 5 * minute,
  },
  {
    alert: 'SeenbyErrorLogged',
    firing: one('seenby_log_events_total', '0x3 1x100', { event: 'reload_failed', level: 'error' }),
    quiet: one('seenby_log_events_total', counter(1), { event: 'lookups_time_out', level: 'warn' }),
    before: 3 * minute,
    after: 5 * minute,
  },
];

test('promtool accepts the rules', { skip }, () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', rulesFile], { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, ''], stdout);
});

test('each rule has a time, a severity, a summary and an action, and is tested', () => {
  const blocks = rules.split(/^ {6}- alert: /m).slice(1);
  const names = blocks.map((block) => block.split('\n')[0]);
  assert.deepEqual(
    names,
    cases.map(({ alert }) => alert),
  );
  for (const block of blocks) {
    for (const part of [/^ {8}for: \d+[mhd]$/m, /severity: (?:critical|warning|info) /, /^ {10}summary: /m])
      assert.match(block, part);
    assert.match(block, /^ {10}description: [A-Z].*\.$/m);
  }
});

test('each alert fires after its time, for its cause and nothing else', { skip }, () => {
  const firing = 'count by (alertname) (ALERTS{alertstate="firing"})';
  // What only that rule is about.
  const isKnown = one('up', constant(1));
  const besides = (input: Case['firing']): Case['firing'] =>
    JSON.stringify(input).includes('up{') ? input : [...input, ...isKnown];
  const tests = cases.flatMap(({ alert, firing: input, quiet, before, after }) => [
    {
      interval: '1m',
      input_series: besides(input),
      promql_expr_test: [
        { expr: firing, eval_time: `${before}s`, exp_samples: [] },
        { expr: firing, eval_time: `${after}s`, exp_samples: [{ labels: `{alertname="${alert}"}`, value: 1 }] },
      ],
    },
    {
      interval: '1m',
      input_series: besides(quiet),
      promql_expr_test: [{ expr: firing, eval_time: `${after}s`, exp_samples: [] }],
    },
  ]);
  const problem = promtool(['test', 'rules'], 'test.yml', {
    rule_files: [rulesFile],
    evaluation_interval: '1m',
    tests,
  });
  assert.equal(problem, '');
});

test('every metric, event and reason in the rules and the dashboard exists in the metrics of a running service', async () => {
  const settings = {
    metricsPort: 0,
    http3Port: 0,
    rateLimitStore: settingList.rateLimitStore.parse('redis://127.0.0.1:1'),
    rateLimitSecret: 'x'.repeat(32),
  };
  const service = await startNode({ host: '127.0.0.1', ...settings });
  const text = await (await fetch(`${service.metrics}`)).text();
  await service.close();
  const exported = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
  const used = [...rules.matchAll(/^ {8}expr: (?:>-\n)?((?: {10})?[\s\S]*?)\n {8}(?:for|#)/gm)].map(
    ([, expr = '']) => expr,
  );
  const expressions = [...used, ...targets.map(({ expr }) => expr), JSON.stringify(dashboard.templating)];
  assert.ok(used.length === cases.length && targets.length > 20);
  let checked = 0;
  for (const expression of expressions) {
    for (const [name] of expression.matchAll(/\b(?:seenby|process|nodejs)_[a-z\d_]+/g)) {
      assert.ok(exported.has(name.replace(/_bucket$/, '')), `${name} in ${expression}`);
      checked += 1;
    }
    for (const [, label, values = ''] of expression.matchAll(/\b(reason|event|level)[=!]~?"([^"]+)"/g))
      for (const value of values.split('|')) assert.ok(text.includes(`${label}="${value}"`), `${label} ${value}`);
  }
  assert.ok(checked > 40);
});

test('promtool parses every expression of the dashboard', { skip }, () => {
  const parsed = targets.map(({ expr }, index) => ({
    record: `seenby:dashboard:${index}`,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(?:job|instance)/g, '.*'),
  }));
  assert.equal(promtool(['check', 'rules'], 'dashboard.yml', { groups: [{ name: 'dashboard', rules: parsed }] }), '');
});

test('the panels of the dashboard do not overlap, and each has an id and a description', () => {
  const cells = new Set<string>();
  const ids = new Set<number>();
  for (const { id, type, title, description, gridPos } of dashboard.panels) {
    assert.ok(!ids.has(id), title);
    ids.add(id);
    if (type !== 'row') assert.match(description, /\.$/, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        assert.ok(x < 24 && !cells.has(`${x} ${y}`), title);
        cells.add(`${x} ${y}`);
      }
  }
});
