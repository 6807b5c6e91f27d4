/** Reads the corpus of User-Agents with their Client Hints, and writes a result in its form. */
import type { UserAgent } from '../../src/client/user-agent-schema.ts';

export const fields = ['browser', 'engine', 'os', 'type', 'vendor', 'model', 'kind', 'bot', 'operator'] as const;
export type Field = (typeof fields)[number];

export interface Case {
  className: string;
  headers: Readonly<Record<string, string>>;
  expected: Readonly<Record<Field, string>>;
}

export function readCorpus(text: string): readonly Case[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [className = '', raw = '', hints = '', ...expected] = line.split('\t');
      return {
        className,
        headers: { 'user-agent': raw, ...headersOf(hints) },
        expected: Object.fromEntries(fields.map((field, at) => [field, expected[at] ?? '-'])) as Record<Field, string>,
      };
    });
}

/** Strings are quoted as structured fields; booleans and brand lists are written out. */
function headersOf(hints: string): Record<string, string> {
  if (hints === '-') return {};
  const entries = Object.entries(JSON.parse(hints) as Record<string, string>);
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name === '' ? 'sec-ch-ua' : `sec-ch-ua-${name}`,
      /^\?|"/.test(value) ? value : `"${value}"`,
    ]),
  );
}

export function resultOf({ browser, engine, os, device, kind, bot }: UserAgent): Record<Field, string> {
  return {
    browser: join(browser.name, browser.major),
    engine: engine.name ?? '-',
    os: join(os.name, os.version),
    type: device.type,
    vendor: device.vendor ?? '-',
    model: device.model ?? '-',
    kind,
    bot: bot?.name ?? '-',
    operator: bot?.operator ?? '-',
  };
}

const join = (name: string | null, version: string | null): string =>
  name === null && version === null ? '-' : `${name ?? '-'} ${version ?? '-'}`;
