/** Layouts of a header check: for a terminal, and as JUnit XML for continuous integration. */
import { replaceControlsOfLines } from '../../core/text.ts';
import { grades } from '../../lookups/headers-check/grade.ts';
import type { Check, HeaderCheck } from '../../lookups/headers-check/schema.ts';
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

/** XML permits no control characters, and neither U+FFFE nor U+FFFF (https://www.w3.org/TR/xml/#charsets). */
const escapeXml = (text: string): string =>
  replaceControlsOfLines(text)
    .replace(/[\ufffe\uffff]/g, ' ')
    .replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** A site of a JUnit document: its check and the reason why it makes the command fail, or the error if it has none. */
export type JunitSuite =
  | { readonly label: string; readonly check: HeaderCheck; readonly reason: string | null }
  | { readonly label: string; readonly error: string };

/**
 * A test suite for each site (https://github.com/testmoapp/junitxml). Its first test case is the grade, the only one that fails; the others
 * are the checks, with what they found as text.
 */
export function junitOf(suites: readonly JunitSuite[], failBelow: string | undefined): string {
  const gradeName = failBelow === undefined ? 'Grade' : `Grade of at least ${failBelow.toUpperCase()}`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.map((suite) => suiteOf(suite, gradeName)).join('')}</testsuites>\n`;
}

function suiteOf(suite: JunitSuite, gradeName: string): string {
  if ('error' in suite) {
    const error = testCase('grade', gradeName, `<error message="${escapeXml(suite.error)}"/>`);
    return `  <testsuite name="${escapeXml(suite.label)}" tests="1" failures="0" errors="1">\n${error}  </testsuite>\n`;
  }
  const { check, reason } = suite;
  const { grade, score, checks } = check.grade;
  const found = checks.filter(({ applicable }) => applicable);
  const total =
    reason === null
      ? textOf(`${grade}, ${score} of 100`)
      : `<failure message="${escapeXml(reason)}">${escapeXml(
          found
            .filter(({ pass }) => !pass)
            .map(describeCheck)
            .join('\n'),
        )}</failure>`;
  const lines = [
    testCase('grade', gradeName, total),
    ...found.map((each) => testCase(each.id, each.title, textOf(describeCheck(each)))),
  ];
  const name = escapeXml(`${check.url} (${grade})`);
  const counts = `tests="${lines.length}" failures="${reason === null ? 0 : 1}" errors="0"`;
  return `  <testsuite name="${name}" ${counts} time="${check.elapsedMs / 1000}">\n${lines.join('')}  </testsuite>\n`;
}

const describeCheck = ({ title, pass, description, recommendation }: Check): string =>
  joinKnown([`${pass ? 'ok' : 'fail'}: ${title}: ${description}`, recommendation], ' ');

const textOf = (text: string): string => `<system-out>${escapeXml(text)}</system-out>`;

const testCase = (id: string, name: string, content: string): string =>
  `    <testcase classname="${escapeXml(id)}" name="${escapeXml(name)}">${content}</testcase>\n`;
