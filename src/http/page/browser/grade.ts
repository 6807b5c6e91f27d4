/** A header check, drawn: the grade, every check, the way to the page, the headers. */
import type { Check } from '../../../lookups/headers-check/grade-schema.ts';
import type { HeaderCheck } from '../../../lookups/headers-check/header-check.ts';
import { chip, drawing, element, facts, linked, part, shown } from './elements.ts';
import { hopChain } from './hops.ts';

export function gradeCard({ grade, status, finalUrl, hops, headers, setCookies, elapsedMs }: HeaderCheck): Node[] {
  const look = /^A/.test(grade.grade) ? '' : /^[BC]/.test(grade.grade) ? 'warn' : 'bad';
  return [
    element(
      'div',
      { class: 'grade' },
      element('div', { class: `letter ${look}` }, grade.grade),
      element(
        'div',
        {},
        element('p', { class: 'points-of' }, `${grade.score} of 100 points`),
        element('p', { class: 'small' }, `Status ${status} from `, linked(finalUrl), ` in ${elapsedMs} ms`),
      ),
    ),
    part('Checks'),
    element('ul', { class: 'checks' }, ...grade.checks.toSorted((a, b) => rank(a) - rank(b)).map(checkRow)),
    ...(grade.notes.length === 0 ? [] : [part('Worth knowing')]),
    element(
      'ul',
      { class: 'hints' },
      ...grade.notes.map(({ level, message }) =>
        element('li', {}, chip(level, level === 'info' ? 'plain' : level), ' ', shown(message)),
      ),
    ),
    part('The way there'),
    hopChain(hops),
    element(
      'details',
      { class: 'raw' },
      element('summary', {}, `Response headers (${Object.keys(headers).length})`),
      facts([
        ...Object.entries(headers).map(([name, value]) => [name, shown(value)] as const),
        ...setCookies.map((cookie) => ['set-cookie', shown(cookie)] as const),
      ]),
    ),
  ];
}

const rank = ({ pass, applicable }: Check): number => (applicable ? (pass ? 1 : 0) : 2);

const looks = [
  ['failed', 'failed', 'M6 6l12 12M18 6L6 18'],
  ['passed', 'passed', 'M5 12.5l4.5 4.5L19 7.5'],
  ['idle', 'does not apply', 'M6 12h12'],
] as const;

function checkRow(check: Check): HTMLElement {
  const { title, pass, scoreImpact, value, description, recommendation } = check;
  const [look, word, path] = looks[rank(check)] ?? looks[2];
  return element(
    'li',
    { class: look },
    drawing('svg', { viewBox: '0 0 24 24', role: 'img', 'aria-label': word }, drawing('path', { d: path })),
    element(
      'div',
      {},
      element('b', {}, shown(title)),
      element('p', {}, shown(description)),
      recommendation === null
        ? null
        : element('p', {}, element('b', {}, pass ? 'Better: ' : 'Instead: '), shown(recommendation)),
      value === null
        ? null
        : element(
            'details',
            { class: 'fold' },
            element('summary', {}, 'What was sent'),
            element('code', {}, shown(value)),
          ),
    ),
    element(
      'span',
      { class: 'impact' },
      scoreImpact === 0 ? '' : `${scoreImpact > 0 ? '+' : '−'}${Math.abs(scoreImpact)}`,
    ),
  );
}
