/** The limits of memory that are derived at the start, and the threads that fit into them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MemoryNeeds, planMemory } from '../../src/runtime/memory-plan.ts';

const needs: MemoryNeeds = {
  threads: 'auto',
  cores: 32,
  maxMemory: null,
  hasHttp3: false,
  databasesMb: 0,
  hasUpdates: false,
};
const machine = 64 * 1024;
const plan = (changed: Partial<MemoryNeeds>, cgroup: number | null = null, total = machine) =>
  planMemory({ ...needs, ...changed }, { machine: total, cgroup });

test('without a cgroup limit: what the threads need and a reserve, at most half of the machine', () => {
  assert.deepEqual(plan({ threads: 1 }), { threads: 1, serviceMb: 1024, http3Mb: 0, reason: null });
  assert.deepEqual(plan({}), { threads: 32, serviceMb: 1024 + 31 * 48, http3Mb: 0, reason: null });
  assert.deepEqual(plan({ hasHttp3: true }), { threads: 32, serviceMb: 2512, http3Mb: 1000, reason: null });
  assert.deepEqual(plan({ threads: 1 }, null, 1000), { threads: 1, serviceMb: 500, http3Mb: 0, reason: null });
  const small = plan({ hasHttp3: true }, null, 1024);
  const reason = 'the machine has 1024 MiB of memory';
  // 64 MiB of half the machine remain beside 9 threads.
  assert.deepEqual(small, { threads: 9, serviceMb: 456, http3Mb: 56, reason });
});

test('one thread starts on a machine of any size, unless it shares it with a cgroup', () => {
  assert.deepEqual(plan({ threads: 1, hasHttp3: true }, null, 128), {
    threads: 1,
    serviceMb: 72,
    http3Mb: 48,
    reason: null,
  });
});

test('with a cgroup limit, auto takes as many threads as fit, and the limits of both processes stay below it', () => {
  const threads: number[] = [];
  for (const cgroup of [192, 256, 512, 1024, 4096, 65_536])
    for (const hasHttp3 of [false, true])
      for (const databasesMb of [0, 20]) {
        const result = plan({ hasHttp3, databasesMb }, cgroup);
        if ('problem' in result) {
          assert.ok(cgroup === 192 && hasHttp3 && databasesMb > 0, result.problem);
          continue;
        }
        assert.ok(result.serviceMb + result.http3Mb <= 0.75 * cgroup, `${cgroup}`);
        assert.ok(result.serviceMb >= 72 + databasesMb + 48 * (result.threads - 1));
        assert.equal(result.http3Mb > 0, hasHttp3);
        assert.equal(result.reason, result.threads === 32 ? null : `the memory limit of the cgroup is ${cgroup} MiB`);
        if (databasesMb === 0) threads.push(result.threads);
      }
  assert.deepEqual(threads, [2, 1, 3, 2, 7, 6, 15, 14, 32, 32, 32, 32]);
});

test('auto respects MAX_MEMORY, and takes all cores without a limit', () => {
  const reason = 'MAX_MEMORY is 300 MiB';
  assert.deepEqual(plan({ maxMemory: 300 }), { threads: 5, serviceMb: 300, http3Mb: 0, reason });
  assert.deepEqual(plan({ maxMemory: 0 }, 128), { threads: 32, serviceMb: 0, http3Mb: 0, reason: null });
});

test('explicit values that do not fit end the start with a sentence that names what to change', () => {
  for (const [changed, cgroup, problem] of [
    [
      { threads: 16 },
      512,
      /^THREADS: 16 threads need 792 MiB, but the .* cgroup is 512 MiB; raise it to 1056, or set /,
    ],
    [{ threads: 4, hasHttp3: true }, 256, /^THREADS: 4 threads and HTTP\/3 need 264 MiB, .* or set HTTP3_PORT to off$/],
    [{}, 90, /^one thread needs 72 MiB, but the memory limit of the cgroup is 90 MiB; raise it to 96$/],
    [{ databasesMb: 140 }, 256, /^one thread with 140 MiB of databases needs 212 MiB, /],
    [{ databasesMb: 283, hasUpdates: true }, 256, /; raise it to 474, or set GEOIP_AUTO_UPDATE to off$/],
    [{ threads: 3, maxMemory: 100 }, null, /^MAX_MEMORY: must be at least 168, .* 3 threads needs, or 0, not "100"$/],
    [{ maxMemory: 500, hasHttp3: true }, 512, /^MAX_MEMORY: must be below 464, because .* HTTP\/3 needs 48 more, /],
    [{ maxMemory: 512 }, 512, /^MAX_MEMORY: must be below 512, because the memory limit of the cgroup is 512 MiB, /],
  ] as const) {
    const result = plan(changed, cgroup);
    assert.ok('problem' in result);
    assert.match(result.problem, problem);
  }
});

test('where the machine has enough memory, the sentence names a MAX_MEMORY that fits', () => {
  for (const hasHttp3 of [false, true]) {
    const threads = 14;
    const result = plan({ threads, hasHttp3 }, null, 1024);
    assert.ok('problem' in result);
    const [, named] =
      /need \d+ MiB, but without MAX_MEMORY the service uses at most 50 % of the machine's 1024 MiB; set MAX_MEMORY to (\d+),/.exec(
        result.problem,
      ) ?? [];
    assert.ok(!('problem' in plan({ threads, hasHttp3, maxMemory: Number(named) }, null, 1024)), result.problem);
  }
  const none = plan({ threads: 30 }, null, 1024);
  assert.ok('problem' in none);
  assert.match(none.problem, /but the machine has 1024 MiB of memory; raise it to 2928,/);
});
