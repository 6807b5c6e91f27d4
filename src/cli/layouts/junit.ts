/** JUnit XML for continuous integration (https://github.com/testmoapp/junitxml). */
import { replaceControlsOfLines } from '../../core/text.ts';

/** A test case: it passed, unless it has a failure or an error. */
interface JunitCase {
  readonly id: string;
  readonly name: string;
  /** The reason why it makes the command fail. */
  readonly failure?: string | null;
  /** The reason why there is no result. */
  readonly error?: string;
  /** What was found. */
  readonly text?: string;
}

/** What a command looked up, with a test case for each part of it. */
export interface JunitSuite {
  readonly name: string;
  readonly elapsedMs?: number;
  readonly cases: readonly JunitCase[];
}

export const junitOf = (suites: readonly JunitSuite[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.map(renderSuite).join('')}</testsuites>\n`;

function renderSuite({ name, elapsedMs, cases }: JunitSuite): string {
  const failures = cases.filter(({ failure }) => failure !== undefined && failure !== null).length;
  const errors = cases.filter(({ error }) => error !== undefined).length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="${errors}"`;
  const time = elapsedMs === undefined ? '' : ` time="${elapsedMs / 1000}"`;
  return `  <testsuite name="${escapeXml(name)}" ${counts}${time}>\n${cases.map(renderCase).join('')}  </testsuite>\n`;
}

function renderCase({ id, name, failure = null, error, text = '' }: JunitCase): string {
  const content =
    error !== undefined
      ? `<error message="${escapeXml(error)}"/>`
      : failure !== null
        ? `<failure message="${escapeXml(failure)}">${escapeXml(text)}</failure>`
        : `<system-out>${escapeXml(text)}</system-out>`;
  return `    <testcase classname="${escapeXml(id)}" name="${escapeXml(name)}">${content}</testcase>\n`;
}

/** XML permits no control characters, and neither U+FFFE nor U+FFFF (https://www.w3.org/TR/xml/#charsets). */
const escapeXml = (text: string): string =>
  replaceControlsOfLines(text)
    .replace(/[\ufffe\uffff]/g, ' ')
    .replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
