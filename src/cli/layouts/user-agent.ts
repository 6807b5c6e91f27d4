/** Layout of what a User-Agent states. */
import type { UserAgent } from '../../client/user-agent-schema.ts';
import { joinKnown, layOutRows, type Terminal } from './terminal.ts';

export function layOut({ browser, engine, os, device, cpu, kind, bot }: UserAgent, terminal: Terminal): string {
  const { type, vendor, model } = device;
  return layOutRows(
    [
      ['Kind', kind],
      ['Name', bot?.name ?? null],
      ['Operator', bot?.operator ?? null],
      ['Browser', joinKnown([browser.name, browser.version], ' ')],
      ['Engine', joinKnown([engine.name, engine.version], ' ')],
      ['OS', joinKnown([os.name, os.version], ' ')],
      ['Device', joinKnown([type === 'unknown' ? null : type, joinKnown([vendor, model], ' ')])],
      ['Processor', cpu.architecture],
    ],
    terminal,
  );
}

export const shorten = ({ browser, os, kind, bot }: UserAgent): string =>
  joinKnown(
    [bot?.name ?? joinKnown([browser.name, browser.major], ' '), joinKnown([os.name, os.version], ' '), kind],
    ' · ',
  );
