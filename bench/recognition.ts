/** Scores recognition on the corpus: the share of correct values for each field and class, and every mistake with --mistakes. */
import { readFileSync } from 'node:fs';
import { userAgent } from '../src/client/user-agent.ts';
import { type Case, fields, readCorpus, resultOf } from './corpus/corpus.ts';

const parts = ['recognition', 'held-out'] as const;

interface Score {
  right: number;
  total: number;
}

const formatShare = ({ right, total }: Score): string =>
  total === 0 ? '–' : `${((100 * right) / total).toFixed(1)} %`;

function addResult(scores: Map<string, Score>, name: string, isRight: boolean): void {
  const score = scores.get(name) ?? { right: 0, total: 0 };
  scores.set(name, { right: score.right + Number(isRight), total: score.total + 1 });
}

function printScores(cases: readonly Case[], showMistakes: boolean): void {
  const byField = new Map<string, Score>();
  const byClass = new Map<string, Score>();
  for (const each of cases) {
    const recognized = resultOf(userAgent(each.headers));
    for (const field of fields) {
      const isRight = recognized[field] === each.expected[field];
      addResult(byField, field, isRight);
      addResult(byClass, each.className, isRight);
      if (!isRight && showMistakes)
        console.log(
          `${each.className}: ${field} ${each.expected[field]} → ${recognized[field]}\n  ${JSON.stringify(each.headers)}`,
        );
    }
  }
  for (const scores of [byField, byClass])
    for (const [name, score] of scores)
      console.log(`${name.padEnd(32)} ${formatShare(score).padStart(8)}  of ${score.total}`);
}

for (const part of parts) {
  const text = readFileSync(new URL(`corpus/${part}.tsv`, import.meta.url), 'utf8');
  const cases = readCorpus(text);
  console.log(`\n${part}: ${cases.length} requests`);
  printScores(cases, process.argv.includes('--mistakes'));
}
