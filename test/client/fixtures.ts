/** The User-Agents of user-agents.tsv with the expected results, and those of the corpus that recognition is scored on. */
import { readFileSync } from 'node:fs';
import { readCorpus } from '../../bench/corpus/corpus.ts';
import type { UserAgent } from '../../src/client/user-agent-schema.ts';

export type Fixture = { raw: string; said: string };

/** Writes a result in the form of the file. */
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

/** The working part of the corpus. */
export const corpus = readCorpus(readFileSync(new URL('../../bench/corpus/recognition.tsv', import.meta.url), 'utf8'));

/** Models of device-models.tsv; `-` if there is no vendor or the model does not determine the type. */
export const models = readFileSync(new URL('device-models.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split('\t') as [model: string, vendor: string, type: string]);
