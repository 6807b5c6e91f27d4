/** The User-Agents written down in user-agents.tsv, with what they say. */
import { readFileSync } from 'node:fs';
import type { UserAgent } from '../../src/client/user-agent-schema.ts';

export type Fixture = { raw: string; said: string };

/** What a fixture states of a result, in its own words. */
export function stated({ browser, os, device, kind, bot }: Omit<UserAgent, 'raw'>): string {
  return [words(browser.name, browser.major), words(os.name, os.version), device.type, kind, bot?.name, bot?.operator]
    .map((cell) => cell ?? '-')
    .join('\t');
}

function words(name: string | null, version: string | null): string {
  return name === null && version === null ? '-' : `${name ?? '-'} ${version ?? '-'}`;
}

export const fixtures: readonly Fixture[] = readFileSync(new URL('user-agents.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [raw = '', ...said] = line.split('\t');
    return { raw, said: said.join('\t') };
  });
