/** The end of a check: skipped tests, the slowest files if they were requested, and a line for each part. */
import { print } from './print.ts';
import { describeDuration, describePart, type Part } from './results.ts';

const slowestShown = 10;

/** `durationsMs`: by test file, or null if they were not requested. */
export function printSummary(parts: readonly Part[], durationsMs: ReadonlyMap<string, number> | null): void {
  const skipped = parts.flatMap((part) => part.skipped);
  if (skipped.length > 0)
    print(`Skipped:\n${skipped.map(({ file, title, reason }) => `  ${file} › ${title}: ${reason}`).join('\n')}\n`);
  if (durationsMs !== null) print(`The slowest test files:\n${describeSlowest(durationsMs).join('\n')}\n`);
  for (const part of parts) print(describePart(part));
  const tests = parts.filter(({ name }) => name === 'tests' || name === 'attacks');
  const passed = tests.reduce((sum, part) => sum + part.passed, 0);
  const failed = tests.reduce((sum, part) => sum + part.failed, 0);
  // Programs read this line, so its form never changes.
  print(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
}

const describeSlowest = (durationsMs: ReadonlyMap<string, number>): string[] =>
  [...durationsMs]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, slowestShown)
    .map(([file, ms]) => `${describeDuration(ms).padStart(12)}  ${file}`);
