/** Prints progress in a line that is rewritten, or every half a minute if no terminal shows it, and failures when they occur. */
import { numberOf, type Part } from './results.ts';

const intervalMs = process.stdout.isTTY ? 500 : 30_000;
let timer: NodeJS.Timeout | null = null;

export function startProgress(parts: readonly Part[]): void {
  const startedMs = performance.now();
  timer = setInterval(() => {
    const line = `${parts.map(progressOf).join(' · ')} · ${Math.round((performance.now() - startedMs) / 1000)} s`;
    if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line.slice(0, process.stdout.columns - 1)}`);
    else print(line);
  }, intervalMs);
}

export function stopProgress(): void {
  if (timer !== null) clearInterval(timer);
  clearLine();
}

/** Prints a text above the progress. */
export function print(text: string): void {
  clearLine();
  process.stdout.write(`${text}\n`);
}

function clearLine(): void {
  if (process.stdout.isTTY) process.stdout.write('\r\x1b[K');
}

function progressOf({ name, startedMs, ended, jobs, passed, failed }: Part): string {
  if (startedMs === null) return `${name}: waiting`;
  if (ended === jobs && failed === 0) return `${name}: passed`;
  const failures = failed > 0 ? `, ${numberOf(failed)} failed` : '';
  const tests = passed > 0 ? `, ${numberOf(passed)} passed` : '';
  return `${name}: ${ended} of ${jobs}${tests}${failures}`;
}
