/** Renders a header check: grade, checks, notes, redirect chain, response headers. */

import type { Check, HeaderCheck } from '../../../lookups/headers-check/schema.ts';
import { bonusFrom, maxScore, scoreOf } from '../../../lookups/headers-check/score.ts';
import {
  createChip,
  createElement,
  createFacts,
  createHeading,
  createLink,
  createSvg,
  renderUntrusted,
} from './elements.ts';
import { renderHops } from './hops.ts';
import { serverConfigOf } from './server-config.ts';

export function renderGrade({ grade, status, finalUrl, hops, headers, setCookies, elapsedMs }: HeaderCheck): Node[] {
  const look = /^A/.test(grade.grade) ? '' : /^[BC]/.test(grade.grade) ? 'warn' : 'bad';
  return [
    createElement(
      'div',
      { class: 'grade' },
      createElement('div', { class: `letter ${look}` }, grade.grade),
      createElement(
        'div',
        {},
        createElement('p', { class: 'points-of' }, `${grade.score} of ${maxScore} points`),
        createElement('p', { class: 'small' }, explainScore(grade.checks)),
        createElement('p', { class: 'small' }, `Status ${status} from `, createLink(finalUrl), ` in ${elapsedMs} ms`),
      ),
    ),
    createHeading('Checks'),
    createElement('ul', { class: 'checks' }, ...grade.checks.toSorted((a, b) => rank(a) - rank(b)).map(renderCheck)),
    ...(grade.notes.length === 0 ? [] : [createHeading('Notes')]),
    createElement(
      'ul',
      { class: 'hints' },
      ...grade.notes.map(({ level, message, link }) =>
        createElement(
          'li',
          {},
          createChip(level, level === 'info' ? 'plain' : level),
          ' ',
          renderUntrusted(message),
          ' ',
          createLink(link, 'Documentation'),
        ),
      ),
    ),
    createHeading('Redirect chain'),
    renderHops(hops),
    createElement(
      'details',
      { class: 'raw' },
      createElement('summary', {}, `Response headers (${Object.keys(headers).length})`),
      createFacts([
        ...Object.entries(headers).map(([name, value]) => [name, renderUntrusted(value)] as const),
        ...setCookies.map((cookie) => ['set-cookie', renderUntrusted(cookie)] as const),
      ]),
    ),
  ];
}

/** How penalties and bonuses lead to the score. */
function explainScore(checks: readonly Check[]): string {
  const { penalties, bonuses, countedBonuses } = scoreOf(checks);
  const sum = maxScore + penalties + countedBonuses;
  return [
    `${maxScore} points − ${-penalties} in penalties + ${countedBonuses} in bonuses = ${sum}`,
    ...(sum > maxScore ? [`, limited to ${maxScore}`] : sum < 0 ? [', at least 0'] : []),
    ...(countedBonuses < bonuses
      ? [`. Bonuses of ${bonuses} do not count: the penalties leave less than ${bonusFrom}.`]
      : ['.']),
  ].join('');
}

/** Failed checks first, then passed ones with advice, then those without, then those that do not apply. */
const rank = ({ pass, applicable, recommendation }: Check): number => {
  if (!applicable) return 3;
  if (!pass) return 0;
  return recommendation === null ? 2 : 1;
};

const outcomes = [
  ['failed', 'failed', 'M6 6l12 12M18 6L6 18'],
  ['advice', 'passed, can be improved', 'M12 6v7M12 17.5v.5'],
  ['passed', 'passed', 'M5 12.5l4.5 4.5L19 7.5'],
  ['idle', 'does not apply', 'M6 12h12'],
] as const;

function renderCheck(check: Check): HTMLElement {
  const { title, pass, scoreImpact, value, description, recommendation, suggestion } = check;
  const [look, word, path] = outcomes[rank(check)] ?? outcomes[3];
  return createElement(
    'li',
    { class: look },
    createSvg('svg', { viewBox: '0 0 24 24', role: 'img', 'aria-label': word }, createSvg('path', { d: path })),
    createElement(
      'div',
      {},
      createElement('b', {}, renderUntrusted(title)),
      createElement('p', {}, renderUntrusted(description)),
      recommendation === null
        ? null
        : createElement(
            'p',
            {},
            createElement('b', {}, pass ? 'Recommended: ' : 'Fix: '),
            renderUntrusted(recommendation),
          ),
      suggestion === null ? null : renderSuggestion(suggestion),
      value === null
        ? null
        : createElement(
            'details',
            { class: 'fold' },
            createElement('summary', {}, 'Header value'),
            createElement('code', {}, renderUntrusted(value)),
          ),
    ),
    createElement(
      'span',
      { class: 'impact' },
      scoreImpact === 0 ? '' : `${scoreImpact > 0 ? '+' : '−'}${Math.abs(scoreImpact)}`,
    ),
  );
}

/** The header lines to send, and the same as configuration of common servers. */
function renderSuggestion(suggestion: string): HTMLElement {
  const { nginx, caddy, express } = serverConfigOf(suggestion);
  const configs = [
    ['nginx', nginx],
    ['Caddy', caddy],
    ['Express', express],
  ] as const;
  return createElement(
    'details',
    { class: 'fold config' },
    createElement('summary', {}, 'Header to send, and configuration for nginx, Caddy and Express'),
    createFacts([
      ['Header', createCode(suggestion)],
      ...configs.map(([name, config]) => [name, config === null ? null : createCode(config)] as const),
    ]),
  );
}

/** Line breaks are ours; other invisible characters are marked. */
const createCode = (text: string): HTMLElement =>
  createElement('code', {}, ...text.split('\n').flatMap((line) => [renderUntrusted(line), '\n']));
