/** Layouts of a header check: for a terminal, and as a test suite for continuous integration. */
import { grades } from '../../lookups/headers-check/grade.ts';
import type { Check, HeaderCheck } from '../../lookups/headers-check/schema.ts';
import type { CommandFlags } from '../commands.ts';
import type { JunitSuite } from './junit.ts';
import { columns, joinKnown, type Terminal, wrap } from './terminal.ts';

/** Returns the function that decides whether a grade is worse than this one; null if the text is not a grade. */
export function isWorseThan(text: string): ((check: Pick<HeaderCheck, 'grade'>) => boolean) | null {
  const lowest = (grades as readonly string[]).indexOf(text.toUpperCase());
  return lowest === -1 ? null : ({ grade }) => grades.indexOf(grade.grade) > lowest;
}

const pointsOf = ({ scoreImpact }: Check): string =>
  scoreImpact === 0 ? '' : `${scoreImpact > 0 ? '+' : ''}${scoreImpact}`;

/** Layout of a grade: failed checks, possible improvements, passed checks, and then the headers to send, each once. */
export function layOut({ finalUrl, status, grade: { grade, score, checks, notes } }: HeaderCheck, terminal: Terminal) {
  const applicable = checks.filter((check) => check.applicable);
  const failed = applicable.filter(({ pass }) => !pass);
  const better = applicable.filter(({ pass, recommendation }) => pass && recommendation !== null);
  const good = applicable.filter(({ pass, recommendation }) => pass && recommendation === null);
  const titlesOf = (found: readonly Check[]): string => found.map(({ title }) => title).join(', ');
  const rows = [
    ...failed.map((check) => ['fail', pointsOf(check), `${check.title}: ${check.description}`]),
    ...notes.map(({ level, message }) => [level === 'warning' ? 'warn' : 'note', '', message]),
    ...(better.length === 0 ? [] : [['note', '', `Could be better: ${titlesOf(better)}`]]),
    ...(good.length === 0 ? [] : [['ok', '', titlesOf(good)]]),
  ];
  const fixes = [...failed, ...better].flatMap((check) => fixOf(check, terminal.width));
  const changes = fixes.length === 0 ? '' : `\nTo change:\n${fixes.join('\n')}\n`;
  const heading = wrap(`${grade}  ${score} of 100  ${finalUrl} (${status})`, terminal.width, '    ').join('\n');
  return `${heading}\n\n${columns(rows, terminal)}${changes}`;
}

/** What to do about a check: a text, if there is more to do than to send a header, and the header lines, unbroken so that they can be copied. */
function fixOf({ title, recommendation, suggestion }: Check, width: number): readonly string[] {
  if (recommendation === null) return [];
  if (suggestion === null) return wrap(`${title}: ${recommendation}`, width, '    ');
  // Most recommendations end with the header that follows here.
  const [header = ''] = suggestion.split(':');
  const [before = ''] = recommendation.split(`${header}: `);
  const besides = before.replace(/Send:\s*$/, '').trim();
  return [...(besides === '' ? [] : wrap(besides, width)), ...suggestion.split('\n').map((line) => `    ${line}`)];
}

export const shorten = ({ grade: { grade } }: HeaderCheck): string => grade;

/** The first test case of a site, the only one that fails. */
export const junitCase = ({ 'fail-below': failBelow }: Pick<CommandFlags, 'fail-below'>) => ({
  id: 'grade',
  name: failBelow === undefined ? 'Grade' : `Grade of at least ${failBelow.toUpperCase()}`,
});

/** A test suite with the grade, and with the checks as text. */
export function junitSuite(
  { url, elapsedMs, grade: { grade, score, checks } }: HeaderCheck,
  reason: string | null,
  flags: Pick<CommandFlags, 'fail-below'>,
): JunitSuite {
  const found = checks.filter(({ applicable }) => applicable);
  const failed = found.filter(({ pass }) => !pass).map(describeCheck);
  const total = {
    ...junitCase(flags),
    failure: reason,
    text: reason === null ? `${grade}, ${score} of 100` : failed.join('\n'),
  };
  const cases = found.map((each) => ({ id: each.id, name: each.title, text: describeCheck(each) }));
  return { name: `${url} (${grade})`, elapsedMs, cases: [total, ...cases] };
}

const describeCheck = ({ title, pass, description, recommendation }: Check): string =>
  joinKnown([`${pass ? 'ok' : 'fail'}: ${title}: ${description}`, recommendation], ' ');
