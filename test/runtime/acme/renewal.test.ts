/** Renewals and retries: their times, also if a clock is wrong. */
import assert from 'node:assert/strict';
import { after, describe, mock, test } from 'node:test';
import { generate } from 'selfsigned';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import { renewalMs, retryMs, useCertificate } from '../../../src/runtime/acme/renewal.ts';
import { parseRetryAfter } from '../../../src/runtime/acme/requests.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const startMs = Date.UTC(2026, 0, 1);

/** From 0 to 1. */
let random = 0;
mock.method(Math, 'random', () => random);
after(() => mock.restoreAll());

test('renews after two thirds of the lifetime, spread over a thirtieth of it', () => {
  for (const days of [90, 6]) {
    const validity = { fromMs: startMs, toMs: startMs + days * dayMs };
    const renewalAt = (part: number): number => {
      random = part;
      return renewalMs(validity);
    };
    assert.ok(Math.abs(renewalAt(1) - renewalAt(0) - (days / 30) * dayMs) < 1);
    assert.equal(Math.round((renewalAt(0) - startMs) / dayMs), (days * 2) / 3);
  }
});

describe('after a failure', () => {
  const minutesOf = (failures: number, lifetimeMs = Number.POSITIVE_INFINITY, demandedMs = 0) =>
    Math.round(retryMs({ failures, demandedMs, validity: { fromMs: 0, toMs: lifetimeMs } }, bounds) / minuteMs);

  test('waits twice as long each time, up to six hours', () => {
    assert.deepEqual(
      [1, 2, 3, 4, 7, 8, 100].map((failures) => minutesOf(failures)),
      [5, 10, 20, 40, 320, 360, 360],
    );
    random = 1;
    assert.equal(minutesOf(4), 44);
    random = 0;
  });

  test('waits at most a 24th of the lifetime of the certificate', () => {
    assert.equal(minutesOf(100, 24 * hourMs), 60);
    assert.equal(minutesOf(100, minuteMs), 5);
  });

  test('waits as long as the authority demands, up to a day', () => {
    assert.equal(minutesOf(1, undefined, 40 * minuteMs), 40);
    assert.equal(minutesOf(1, undefined, 10_000 * dayMs), 24 * 60);
    assert.equal(minutesOf(3, undefined, minuteMs), 20);
  });
});

test('attempts to renew a certificate of 160 hours until its end, if each fails', async () => {
  const lifetimeMs = 160 * hourMs;
  const validity = { fromMs: startMs, toMs: startMs + lifetimeMs };
  for (const [part, firstHour] of [
    [0, 160 * (2 / 3)],
    [1, 160 * 0.7],
  ] as const) {
    random = part;
    const attempts = [renewalMs(validity)];
    for (let failures = 1; (attempts.at(-1) ?? 0) < validity.toMs; failures += 1)
      attempts.push((attempts.at(-1) ?? 0) + retryMs({ failures, demandedMs: 0, validity }, bounds));
    const hours = attempts.map((ms) => (ms - startMs) / hourMs);
    assert.ok(Math.abs((hours[0] ?? 0) - firstHour) < 0.01, String(hours));
    // The first six within six hours, and the last one less than seven hours before the end.
    assert.ok((hours[5] ?? 0) - firstHour < 6, String(hours));
    assert.ok((hours.at(-2) ?? 0) > 153 && hours.length > 12, String(hours));
  }
  random = 0;
});

test('reads Retry-After as seconds or as a date', () => {
  const read = (value: string | undefined) => parseRetryAfter(value, startMs);
  assert.deepEqual([read('120'), read('Thu, 01 Jan 2026 00:01:00 GMT')], [120_000, 60_000]);
  assert.deepEqual(
    [undefined, '', '-1', 'soon', '1.5e3x', 'Wed, 31 Dec 2025 00:00:00 GMT'].map(read),
    [0, 0, 0, 0, 0, 0],
  );
  assert.equal(read('9'.repeat(400)), 0);
});

describe('a certificate in use', async () => {
  const validity = { notBeforeDate: new Date(startMs), notAfterDate: new Date(startMs + 90 * dayMs) };
  const altNames = [{ type: 2, value: 'a.example' }] as const;
  const extensions = [{ name: 'subjectAltName' as const, altNames: [...altNames] }];
  const made = await generate([{ name: 'commonName', value: 'a.example' }], { keyType: 'ec', ...validity, extensions });
  const certificate = { cert: made.cert, key: made.private };
  /** Days, by the system clock and by the monotonic one. */
  const clocks = { wall: 0, monotonic: 0 };
  mock.method(Date, 'now', () => startMs + clocks.wall * dayMs);
  mock.method(performance, 'now', () => clocks.monotonic * dayMs);
  const use = (isNew: boolean, domains = ['a.example'], used = certificate) => useCertificate(used, domains, isNew);
  const at = (wall: number, monotonic = wall): void => {
    Object.assign(clocks, { wall, monotonic });
  };

  test('is due after 60 of 90 days', () => {
    at(0);
    const used = use(true);
    for (const [day, isDue] of [
      [0, false],
      [59, false],
      [60, true],
      [400, true],
    ] as const) {
      at(day);
      assert.equal(used.isDue(), isDue, String(day));
    }
  });

  test('is due after 107 of 160 hours', async () => {
    const hours = { notBeforeDate: new Date(startMs), notAfterDate: new Date(startMs + 160 * hourMs) };
    const short = await generate([{ name: 'commonName', value: 'a.example' }], { keyType: 'ec', ...hours, extensions });
    at(0);
    const used = use(true, undefined, { cert: short.cert, key: short.private });
    at(106 / 24);
    assert.equal(used.isDue(), false);
    at(107 / 24);
    assert.equal(used.isDue(), true);
  });

  test('is due after a sleep, in which only the system clock continues', () => {
    at(0);
    const used = use(false);
    at(70, 1);
    assert.equal(used.isDue(), true);
  });

  test('is due although the system clock was set back', () => {
    at(0);
    const used = use(true);
    at(-1000, 59);
    assert.equal(used.isDue(), false);
    at(-1000, 61);
    assert.equal(used.isDue(), true);
  });

  test('is not due right after its issue if the system clock is wrong', () => {
    at(400, 0);
    const used = use(true);
    at(429, 29);
    assert.equal(used.isDue(), false);
    at(431, 31);
    assert.equal(used.isDue(), true);
  });

  describe('if the authority suggests when to renew', () => {
    const suggestionOf = (from: number, to: number) => ({ fromMs: startMs + from * dayMs, toMs: startMs + to * dayMs });
    const dueDay = (used: ReturnType<typeof use>): number => Math.round((used.renewalMs() - startMs) / dayMs);

    test('is due at a random time of the window, which moves only with the window', () => {
      for (const [part, day] of [
        [0, 10],
        [1, 20],
      ] as const) {
        at(0);
        random = part;
        const used = use(true);
        random = 0.5;
        for (const later of [0, 0, 2]) {
          used.suggest(suggestionOf(10 + later, 20 + later));
          assert.equal(dueDay(used), day + later);
        }
        at(day + 1);
        assert.equal(used.isDue(), false);
        at(day + 3);
        assert.equal(used.isDue(), true);
      }
      random = 0;
    });

    test('is due later than after two thirds, also by the clock that never jumps', () => {
      at(0);
      const used = use(true);
      at(1);
      used.suggest(suggestionOf(70, 71));
      at(69);
      assert.equal(used.isDue(), false);
      at(-1000, 69);
      assert.equal(used.isDue(), false);
      at(-1000, 71);
      assert.equal(used.isDue(), true);
    });

    test('is due at once if the window is past, but not in its first day', () => {
      at(5);
      const stored = use(false);
      stored.suggest(suggestionOf(-2, -1));
      assert.equal(stored.isDue(), true);
      at(0);
      for (const isNew of [false, true]) {
        const used = use(isNew);
        used.suggest(suggestionOf(-9000, -8000));
        at(0.9);
        assert.equal(used.isDue(), false);
        at(1.1);
        assert.equal(used.isDue(), true);
        at(0);
      }
    });

    test('is due later than by its own rule although that has passed, up to nine tenths', () => {
      at(65);
      const used = use(false);
      assert.deepEqual([used.isDue(), used.isPostponable()], [true, true]);
      used.suggest(suggestionOf(70, 75));
      assert.equal(used.isDue(), false);
      at(71);
      assert.equal(used.isDue(), true);
      assert.equal(use(false, ['a.example', 'b.example']).isPostponable(), false);
      at(82);
      assert.deepEqual([use(false).isDue(), use(false).isPostponable()], [true, false]);
    });

    test('is due at the latest after nine tenths', () => {
      at(0);
      random = 1;
      const used = use(false);
      for (const [from, to] of [
        [89, 91],
        [200, 300],
        [0, 1e8],
      ] as const) {
        used.suggest(suggestionOf(from, to));
        assert.equal(dueDay(used), 81);
      }
      random = 0;
    });

    test('is not due right after its issue if the system clock is wrong', () => {
      at(400, 0);
      const used = use(true);
      used.suggest(suggestionOf(60, 61));
      at(429, 29);
      assert.equal(used.isDue(), false);
      at(431, 31);
      assert.equal(used.isDue(), true);
    });
  });

  test('is due if it lacks a domain', () => {
    at(0);
    assert.equal(use(false, ['a.example', 'b.example']).isDue(), true);
    assert.equal(use(false, []).isDue(), false);
  });
});
