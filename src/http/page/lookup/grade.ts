/** Renders a header check: grade, checks with configuration of common servers, notes, redirect chain, response headers. */

import { bonusFrom, maxScore, scoreOf } from '../../../lookups/headers-check/grade.ts';
import type { Check, HeaderCheck } from '../../../lookups/headers-check/schema.ts';
import { briefOfGrade } from '../../../lookups/report.ts';
import { renderUntrusted } from '../fragment.ts';
import { type Fragment, html } from '../markup.ts';
import { linkDomain } from './navigation.ts';
import { chip, facts, type Result, renderCheckItem, renderClipped, renderLink, renderList } from './result.ts';
import { combinedConfigOf, serverConfigOf } from './server-config.ts';

/** Length of the URL in the summary; the redirect chain has all of it. */
const maxSummaryUrl = 200;

export function renderGrade({ grade, status, finalUrl, hops, headers, setCookies, elapsedMs }: HeaderCheck): Result {
  const look = /^A/.test(grade.grade) ? '' : /^[BC]/.test(grade.grade) ? 'warn' : 'bad';
  const sent = [...Object.entries(headers), ...setCookies.map((cookie) => ['set-cookie', cookie] as const)];
  const host = URL.parse(finalUrl)?.hostname;
  const names = new Set(Object.keys(headers));
  const headerList = facts(sent.map(([name, value]) => [name, renderClipped(value)]));
  return {
    summary: `Grade ${grade.grade}, ${grade.score} of ${maxScore} points${host ? `, for ${host}` : ''}`,
    brief: briefOfGrade({ grade }),
    content: html`<div class="grade"><p class="letter ${look}"><span class="sr">Grade </span>${grade.grade}</p><div>
<h3 class="points-of">${grade.score} of ${maxScore} points</h3>
<p class="small">Status ${status} from ${renderLink(finalUrl, finalUrl, maxSummaryUrl)} in ${elapsedMs}&nbsp;ms${host && html`<span class="to-report"> · Report on ${linkDomain(host)}</span>`}</p>
</div></div>
<p class="small">${explainScore(grade.checks)}</p>
${renderCombined(grade.checks, names)}
<h4 class="part">Checks</h4>
<ul class="checks">${grade.checks.toSorted((a, b) => rank(a) - rank(b)).map((check) => renderCheck(check, names))}</ul>
${grade.notes.length === 0 ? '' : html`<h4 class="part">Notes</h4>`}
${renderList(grade.notes, 'hints', renderNote) ?? ''}
<h4 class="part">Redirect chain</h4>
<ol class="hops">${hops.map(renderHop)}</ol>
<details class="raw"><summary>Response headers (${sent.length})</summary>${headerList}</details>`,
  };
}

const renderNote = ({ level, message, link }: HeaderCheck['grade']['notes'][number]): Fragment =>
  html`${chip(level, level === 'info' ? 'plain' : level)} ${renderClipped(message)} ${renderLink(link, 'Documentation')}`;

const renderHop = ({ url, status, location }: HeaderCheck['hops'][number]): Fragment =>
  html`<li>${chip(String(status), status < 400 ? '' : 'bad')} ${renderLink(url)}${
    location === null ? '' : html`<p class="small">redirects to ${renderClipped(location)}</p>`
  }</li>`;

/** Arithmetic from penalties and bonuses to the score. */
function explainScore(checks: readonly Check[]): string {
  const { penalties, bonuses, countedBonuses } = scoreOf(checks);
  const sum = maxScore + penalties + countedBonuses;
  const bound = sum > maxScore ? `, limited to ${maxScore}` : sum < 0 ? ', at least 0' : '';
  const uncounted = ` Bonuses of ${bonuses} do not count: the penalties leave less than ${bonusFrom}.`;
  return `${maxScore} points − ${-penalties} in penalties + ${countedBonuses} in bonuses = ${formatSigned(sum, '')}${bound}.${
    countedBonuses < bonuses ? uncounted : ''
  }`;
}

const formatSigned = (points: number, plus: string): string => `${points < 0 ? '−' : plus}${Math.abs(points)}`;

/** Failed checks first, then passed ones with advice, then those without, then those that do not apply. */
const rank = ({ pass, applicable, recommendation }: Check): number => {
  if (!applicable) return 3;
  if (!pass) return 0;
  return recommendation === null ? 2 : 1;
};

const marks = ['failed', 'advice', 'passed', 'idle'] as const;

/** `sent`: the names of the response headers, in lower case. */
function renderCheck(check: Check, sent: ReadonlySet<string>): Fragment {
  const { title, pass, scoreImpact, value, description, recommendation, suggestion } = check;
  return renderCheckItem(marks[rank(check)] ?? 'idle', title, {
    aside: scoreImpact === 0 ? '' : formatSigned(scoreImpact, '+'),
    content: html`<p>${renderClipped(description)}</p>${
      recommendation && html`<p><b>${pass ? 'Recommended: ' : 'Fix: '}</b>${renderClipped(recommendation)}</p>`
    }${suggestion && renderSuggestion(suggestion, sent)}${
      value !== null &&
      html`<details class="fold"><summary>Header value</summary><code>${renderClipped(value)}</code></details>`
    }`,
  });
}

/** All fixes in one block for each server: of the failed checks, or if none failed, of those that can be improved. */
function renderCombined(checks: readonly Check[], sent: ReadonlySet<string>): Fragment | '' {
  const advised = checks.filter(({ suggestion }) => suggestion !== null);
  const failed = advised.filter(({ pass }) => !pass);
  const chosen = failed.length > 0 ? failed : advised;
  if (chosen.length === 0) return '';
  const state = failed.length > 0 ? 'failed' : 'passed';
  const count = chosen.length === 1 ? `${state} check` : `${chosen.length} ${state} checks`;
  const suggestions = chosen.map(({ suggestion }) => suggestion ?? '');
  const blocks = Object.entries(combinedConfigOf(suggestions, sent));
  return html`<h4 class="part">${failed.length > 0 ? 'Fix' : 'Improve'} the ${count}</h4>
<p class="small">All of it in one block. Test it before use: a Content Security Policy can block parts of a page.</p>
${blocks.map(
  ([server, text], n) =>
    html`<details class="fold config" name="config"${n === 0 && html` open`}><summary>${server}</summary><div class="command">${renderCode(text)} <button type="button" class="copy quiet" aria-label="Copy the configuration for ${server}">Copy</button></div></details>`,
)}`;
}

/** The header lines to send, and the same as configuration of common servers. */
function renderSuggestion(suggestion: string, sent: ReadonlySet<string>): Fragment {
  const configs = Object.entries({ Header: suggestion, ...serverConfigOf(suggestion, sent) });
  const rows = configs.map(([name, config]) => [name, config === null ? null : renderCode(config)] as const);
  return html`<details class="fold config"><summary>Header to send, and configuration for nginx, Caddy and Express</summary>${facts(rows)}</details>`;
}

/** Not cut: it is to be copied, and suggestions are short. Line breaks are ours; other invisible characters are marked. */
const renderCode = (text: string): Fragment =>
  html`<code>${text.split('\n').map((line) => html`${renderUntrusted(line)}\n`)}</code>`;
