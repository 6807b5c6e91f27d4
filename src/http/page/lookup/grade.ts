/** Renders a header check: grade, checks, notes, redirect chain, response headers. */
import { html } from 'hono/html';
import type { Check, HeaderCheck } from '../../../lookups/headers-check/schema.ts';
import { bonusFrom, maxScore, scoreOf } from '../../../lookups/headers-check/score.ts';
import { type Fragment, renderUntrusted } from '../fragment.ts';
import { renderHops } from './hops.ts';
import { chip, facts, heading, type Result, renderClipped, renderLink, renderList } from './result.ts';
import { serverConfigOf } from './server-config.ts';

export function renderGrade({ grade, status, finalUrl, hops, headers, setCookies, elapsedMs }: HeaderCheck): Result {
  const look = /^A/.test(grade.grade) ? '' : /^[BC]/.test(grade.grade) ? 'warn' : 'bad';
  const sent = [...Object.entries(headers), ...setCookies.map((cookie) => ['set-cookie', cookie] as const)];
  const host = URL.parse(finalUrl)?.hostname;
  return {
    summary: `Grade ${grade.grade}, ${grade.score} of ${maxScore} points${host ? `, for ${host}` : ''}`,
    content: html`<div class="grade"><p class="letter ${look}"><span class="sr">Grade </span>${grade.grade}</p><div>
<h3 class="points-of">${grade.score} of ${maxScore} points</h3>
<p class="small">Status ${status} from ${renderLink(finalUrl)} in ${elapsedMs} ms</p>
</div></div>
<p class="small">${explainScore(grade.checks)}</p>
${heading('Checks')}
<ul class="checks">${grade.checks.toSorted((a, b) => rank(a) - rank(b)).map(renderCheck)}</ul>
${grade.notes.length === 0 ? '' : heading('Notes')}
${
  renderList(
    grade.notes,
    'hints',
    ({ level, message, link }) =>
      html`${chip(level, level === 'info' ? 'plain' : level)} ${renderClipped(message)} ${renderLink(link, 'Documentation')}`,
  ) ?? ''
}
${heading('Redirect chain')}
${renderHops(hops)}
<details class="raw"><summary>Response headers (${sent.length})</summary>${facts(
      sent.map(([name, value]) => [name, renderClipped(value)]),
    )}</details>`,
  };
}

/** Arithmetic from penalties and bonuses to the score. */
function explainScore(checks: readonly Check[]): string {
  const { penalties, bonuses, countedBonuses } = scoreOf(checks);
  const sum = maxScore + penalties + countedBonuses;
  return [
    `${maxScore} points − ${-penalties} in penalties + ${countedBonuses} in bonuses = ${sum < 0 ? '−' : ''}${Math.abs(sum)}`,
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

function renderCheck(check: Check): Fragment {
  const { title, pass, scoreImpact, value, description, recommendation, suggestion } = check;
  const [look, word, path] = outcomes[rank(check)] ?? outcomes[3];
  const impact = scoreImpact === 0 ? '' : `${scoreImpact > 0 ? '+' : '−'}${Math.abs(scoreImpact)}`;
  return html`<li class="${look}"><svg viewBox="0 0 24 24" role="img" aria-label="${word}"><path d="${path}"/></svg>
<b>${renderClipped(title)}</b><span class="impact">${impact}</span>
<div><p>${renderClipped(description)}</p>${
    recommendation === null
      ? ''
      : html`<p><b>${pass ? 'Recommended: ' : 'Fix: '}</b>${renderClipped(recommendation)}</p>`
  }${suggestion === null ? '' : renderSuggestion(suggestion)}${
    value === null
      ? ''
      : html`<details class="fold"><summary>Header value</summary><code>${renderClipped(value)}</code></details>`
  }</div></li>`;
}

/** The header lines to send, and the same as configuration of common servers. */
function renderSuggestion(suggestion: string): Fragment {
  const { nginx, caddy, express } = serverConfigOf(suggestion);
  const row = (name: string, config: string | null) => [name, config === null ? null : renderCode(config)] as const;
  return html`<details class="fold config"><summary>Header to send, and configuration for nginx, Caddy and Express</summary>${facts(
    [row('Header', suggestion), row('nginx', nginx), row('Caddy', caddy), row('Express', express)],
  )}</details>`;
}

/** Not cut: it is to be copied, and suggestions are short. Line breaks are ours; other invisible characters are marked. */
const renderCode = (text: string): Fragment =>
  html`<code>${text.split('\n').map((line) => html`${renderUntrusted(line)}\n`)}</code>`;
