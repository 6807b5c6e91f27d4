/** Layouts of a header check: for a terminal, and as JUnit XML for continuous integration. */
import { grades } from '../../lookups/headers-check/grade.ts';
import type { Check, HeaderCheck } from '../../lookups/headers-check/schema.ts';
import { columns, type Terminal, wrap } from './terminal.ts';

/** Returns the function that decides whether a grade is worse than this one; null if the text is no grade. */
export function isWorseThan(text: string): ((check: Pick<HeaderCheck, 'grade'>) => boolean) | null {
  const lowest = (grades as readonly string[]).indexOf(text.toUpperCase());
  return lowest === -1 ? null : ({ grade }) => grades.indexOf(grade.grade) > lowest;
}

const outcomeOf = ({ pass, recommendation }: Check): string =>
  pass ? (recommendation === null ? 'ok' : 'note') : 'fail';
const pointsOf = ({ scoreImpact }: Check): string =>
  scoreImpact === 0 ? '' : `${scoreImpact > 0 ? '+' : ''}${scoreImpact}`;

/** The letter, a table of the checks, and what to change at the end. */
export function layOut({ finalUrl, status, grade: { grade, score, checks, notes } }: HeaderCheck, terminal: Terminal) {
  const applicable = checks.filter((check) => check.applicable);
  const table = applicable.map((check) => [outcomeOf(check), pointsOf(check), check.title, check.description]);
  const remarks = notes.map(({ level, message }) => [level === 'warning' ? 'warn' : 'note', '', '', message]);
  const fixes = applicable.flatMap(({ title, recommendation, suggestion }) =>
    recommendation === null
      ? []
      : [
          ...wrap(`${title}: ${recommendation}`, terminal.width),
          ...(suggestion === null ? [] : [`    ${suggestion.replaceAll('\n', '\n    ')}`]),
        ],
  );
  const changes = fixes.length === 0 ? '' : `\nTo change:\n${fixes.join('\n')}\n`;
  return `${grade}  ${score} of 100  ${finalUrl} (${status})\n\n${columns([...table, ...remarks], terminal)}${changes}`;
}

export const shorten = ({ grade: { grade } }: HeaderCheck): string => grade;

const escapeXml = (text: string): string =>
  text.replace(/[^\t\n\u0020-\ud7ff\ue000-\ufffd]/g, ' ').replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** A test suite for each site, with a test case for each check (https://github.com/testmoapp/junitxml). */
export function junitOf(checked: readonly HeaderCheck[]): string {
  const suites = checked.map(({ url, elapsedMs, grade: { grade, checks } }) => {
    const cases = checks.filter(({ applicable }) => applicable);
    const failed = cases.filter(({ pass }) => !pass);
    const lines = cases.map(({ id, title, pass, description, recommendation }) => {
      const failure = `<failure message="${escapeXml(description)}">${escapeXml(recommendation ?? '')}</failure>`;
      return `    <testcase classname="${escapeXml(id)}" name="${escapeXml(title)}">${pass ? '' : failure}</testcase>\n`;
    });
    const name = escapeXml(`${url} (${grade})`);
    return `  <testsuite name="${name}" tests="${cases.length}" failures="${failed.length}" time="${elapsedMs / 1000}">\n${lines.join('')}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`;
}
