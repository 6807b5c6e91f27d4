/** The tests of `npm test` depend on no clock, no memory and no speed of the machine. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { test } from 'node:test';
import { testFiles, tierOf } from '../../setup/checks/test-files.ts';
import { inRoot } from '../../setup/project.mjs';

/** What reads a clock or the memory, what waits, and what shortens the time limit of a test, which only ends what hangs. */
const measures =
  /\b(?:cpuUsage|memoryUsage|resourceUsage|hrtime|performance\.now|cpu-time\.ts|setTimeout(?:\(| as |,)|await pause\()|timeout: [\d_]+ \}, async/g;

/** Files that may, by the reason. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  'ends a program that does not end by itself': ['test/acceptance/proxies.ts'],
  "waits for the next window of workerd's own clock": ['test/acceptance/cloudflare.test.ts'],
  'simulates a runtime that aborts later': ['test/edges/cloudflare/outbound.test.ts'],
  'passes the time of the process as a clock': [
    'test/edges/node/observe-transport.test.ts',
    'test/ingress/exchange.test.ts',
    'test/ingress/http2.test.ts',
    'test/ingress/http3/http3.test.ts',
    'test/ingress/limits/port-limit.test.ts',
    'test/native/quic/listener-set.test.ts',
    'test/native/quic/streams.test.ts',
    'test/runtime/threads/thread-metrics.test.ts',
  ],
  'replaces the function': [
    'test/ingress/connection-closing.test.ts',
    'test/native/garbage.test.ts',
    'test/runtime/http3/bridge.test.ts',
    'test/runtime/memory-limit.test.ts',
  ],
  'lets both sides of a connection go on, in the process of the test': ['test/runtime/http3/child.test.ts'],
  'names a line that did not appear': ['test/runtime/acme/acme.test.ts', 'test/runtime/logbook.ts'],
  'polls another program': [
    'test/runtime/acme/authority.ts',
    'test/service/targets.ts',
    'test/setup/checks.test.ts',
    'test/until.ts',
    'test/quic-clients.ts',
  ],
  'helpers for the second tier, which the first one imports for other functions': [
    'test/quic-attacker.ts',
    'test/native/quic/udp-relay.ts',
  ],
  'names the functions': ['test/literals.test.ts', 'test/setup/first-tier.test.ts'],
};

const importLine = /^(?:import|export) (?:[^;'"`]* from )?'(\.[^']+)';/gm;

/** Test files of the first tier, and the files of test/ that they import. */
function filesOfFirstTier(): string[] {
  const found = new Set(testFiles().filter((file) => tierOf(file) !== 'heavy'));
  for (const file of found)
    for (const [, path = ''] of readFileSync(inRoot(file), 'utf8').matchAll(importLine)) {
      const imported = join(dirname(file), path);
      if (imported.startsWith('test/') && existsSync(inRoot(imported))) found.add(imported);
    }
  return [...found].toSorted();
}

test('a test of the first tier measures nothing, and waits only for conditions', () => {
  const found = filesOfFirstTier().flatMap((file) => {
    const lines = readFileSync(inRoot(file), 'utf8').split('\n');
    return lines.flatMap((line, at) => (line.match(measures) ? [`${file}:${at + 1} ${line.trim()}`] : []));
  });
  const excepted = Object.values(exceptions).flat();
  const files = new Set(found.map((each) => each.replace(/:.*/, '')));
  assert.deepEqual(
    found.filter((each) => !excepted.includes(each.replace(/:.*/, ''))),
    [],
    'wait with until(), pass the clock, or move the test to a file of the second tier, see CONTRIBUTING.md',
  );
  assert.deepEqual(
    excepted.filter((file) => !files.has(file)),
    [],
    'these need no exception',
  );
});
