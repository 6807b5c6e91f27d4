/** Random values of fast-check. A property that fails prints its smallest counterexample, and the seed and path that repeat it. */
import * as fc from 'fast-check';

/** The reason why long tests are skipped, also in a file that is run alone; false in `npm run test:heavy` and `test:all`. */
export const skipUnlessAll = process.env.SEENBY_ALL_TESTS === '1' ? false : 'only in npm run test:heavy and test:all';

// The first tier never fails by chance: a new seed may find an old fault.
if (skipUnlessAll !== false) fc.configureGlobal({ seed: 1 });

/** Rounds of a property, or requests of a flood: all of them in `npm run test:heavy` and `test:all`, otherwise a share. */
export const roundsOf = (all: number, share = 0.1): number => (skipUnlessAll === false ? all : Math.ceil(all * share));

/** Checks a property with a tenth of `all` values, or all. Returns the number of values. */
export function check<Value>(all: number, values: fc.Arbitrary<Value>, property: (value: Value) => void): number {
  const numRuns = roundsOf(all);
  fc.assert(fc.property(values, property), { numRuns });
  return numRuns;
}

/** A text of up to `maxLength` pieces. */
export const textOf = (pieces: readonly string[], maxLength: number, minLength = 0): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...pieces), { minLength, maxLength }).map((chosen) => chosen.join(''));

/** One of the originals with up to four changed bytes, in a third of the cases cut off anywhere. */
export function mutationOf(originals: readonly Uint8Array[]): fc.Arbitrary<Buffer> {
  const change = fc.record({ at: fc.nat(), octet: fc.nat(255) });
  return fc
    .record({
      original: fc.constantFrom(...originals),
      changes: fc.array(change, { maxLength: 4 }),
      length: fc.option(fc.nat(), { freq: 2 }),
    })
    .map(({ original, changes, length }) => {
      const bytes = Buffer.from(original);
      for (const { at, octet } of changes) bytes[at % bytes.length] = octet;
      return length === null ? bytes : bytes.subarray(0, length % (bytes.length + 1));
    });
}

/** Draws numbers from 0 to below a limit; for values that one arbitrary cannot describe. */
export type Draw = (limit: number) => number;

export const drawBy =
  (draw: fc.GeneratorValue): Draw =>
  (limit) =>
    draw(fc.nat, { max: Math.max(limit - 1, 0) });

export const drawFrom = <Value>(draw: Draw, values: readonly Value[]): Value => values[draw(values.length)] as Value;

/** Like `check` with values that the property draws itself. */
export const checkDrawn = (all: number, property: (draw: fc.GeneratorValue) => void): number =>
  check(all, fc.gen(), property);

const atOnce = 8;

/** Like `check` for what takes time but no CPU: several values concurrently, then `between`. */
export async function checkConcurrently<Value>(
  all: number,
  values: fc.Arbitrary<Value>,
  property: (value: Value) => Promise<void>,
  between: () => Promise<void>,
  seed?: number,
): Promise<void> {
  const batch = fc.array(values, { minLength: atOnce, maxLength: atOnce });
  const run = fc.asyncProperty(batch, async (together) => {
    await Promise.all(together.map(property));
    await between();
  });
  await fc.assert(run, { numRuns: Math.ceil(roundsOf(all) / atOnce), ...(seed !== undefined && { seed }) });
}
