/** The sections about the client: its identification with reasons, and the notable traits of its headers. */

import { frozenOs } from '../../../client/user-agent.ts';
import { escapeControls, formatCount } from '../../../core/text.ts';
import type { Info } from '../../../resources/info.ts';
import type { HeaderTraits } from '../../../traits/header-traits.ts';
import { kindNames } from '../data/client-names.ts';
import { needsScript, renderUntrusted } from '../fragment.ts';
import { type Fragment, html } from '../markup.ts';
import { requestedOf, subjects } from './agreement.ts';
import { nameClient } from './request-summary.ts';
import { foldValues, type Group } from './values.ts';

/** Identification of the client, beside what the browser states about itself. */
export function browserCard(info: Info, base: string): Fragment {
  const nodes = { userAgent: info.userAgent };
  // A person expects an answer about bots, not a missing value.
  const answered = info.userAgent.kind === 'browser' ? ['userAgent.bot'] : [];
  return html`<div class="card"><p class="who">${renderUntrusted(nameClient(info.userAgent) ?? 'Unknown client')}</p>
<p>This looks like ${kindNames[info.userAgent.kind]}:</p>
<ul class="points">${reasons(info).map((reason) => html`<li>${reason}</li>`)}</ul>
${agreement(info)}
${foldValues('browser-values', [{ nodes, without: 'Your client does not state', answered }], base)}</div>`;
}

function reasons({ userAgent: { raw, bot, browser, kind }, headers }: Info): Fragment[] {
  if (raw === '') return [html`It sent no User-Agent header, which normally names the client.`];
  if (bot !== null) {
    const operator = bot.operator && html`, operated by ${renderUntrusted(bot.operator)}`;
    return [
      kind === 'bot'
        ? html`Its User-Agent names ${renderUntrusted(bot.name)}${operator}; this is not a browser's User-Agent.`
        : html`Its User-Agent matches the one ${renderUntrusted(bot.name)} sends${operator}.`,
      html`Any client can copy a User-Agent, so this is a claim and not a proof.`,
    ];
  }
  if (kind === 'unknown') return [html`Its User-Agent matches no browser, library, tool or bot in our tables.`];
  const name = browser.name === null ? 'a browser' : renderUntrusted(browser.name);
  const frozen = frozenOs(headers);
  const hinted = frozen?.hinted ? html` Its Client Hints state ${renderUntrusted(frozen.hinted)}.` : '';
  return [
    html`Its User-Agent matches ${name} and names no bot, library or tool.`,
    'sec-ch-ua' in headers
      ? html`It sent Client Hints (<code>sec-ch-ua</code> headers): they give version, OS and device where the User-Agent is frozen.`
      : html`It sent no Client Hints; only Chromium-based browsers send them, and only over HTTPS.`,
    ...(frozen
      ? [html`Browsers freeze the OS in the User-Agent: ${frozen.stated} is ${frozen.meaning}.${hinted}`]
      : []),
  ];
}

const agreementRows = html`${subjects.map(
  ({ label }) => html`<div><dt>${label} <span class="chip plain verdict"></span></dt><dd></dd></div>`,
)}`;

/** The browser's own statements, beside those of its request; the browser script fills in the sentences. */
function agreement(info: Info): Fragment {
  return html`<div class="only-js"><h3 id="agreement">Does your browser agree with its request?</h3>
<p class="small">Compared in your browser; nothing is sent.</p>
${needsScript}
<dl class="agreement" data-requested="${escapeControls(JSON.stringify(requestedOf(info)))}">${agreementRows}</dl></div>`;
}

function notableHeaders({ hints, notApplicable }: HeaderTraits): Fragment {
  const unchecked = notApplicable.flatMap(({ ids }) => ids).length;
  const more = formatCount(unchecked, 'more rule');
  const none = html`<p>Nothing unusual: these headers have none of the traits that bot detectors often look for.</p>`;
  const list = html`<ul class="hints">${hints.map(
    ({ level, hint, reason, headers }) =>
      html`<li><span class="chip ${level === 'info' ? 'plain' : level}">${level}</span> ${renderUntrusted(hint)}
<p class="small">${renderUntrusted(reason)} ${headers.map((name) => html`<code>${renderUntrusted(name)}</code> `)}</p></li>`,
  )}</ul>`;
  return html`${hints.length === 0 ? none : list}<p class="small">These are hints, not proof. ${more} could not be checked for this request. AI agents
can use the <code>check_headers</code> tool for the same result.</p>`;
}

/** The notable headers, and all of them. */
export function headerCard({ headers, edgeHeaders }: Info, traits: HeaderTraits, base: string): Fragment {
  const groups: readonly Group[] = [
    { title: 'Sent by your client', nodes: { headers }, without: 'None' },
    { title: 'Added by a proxy on the way', nodes: { edgeHeaders }, without: 'None' },
  ].filter(({ nodes }) => Object.values(nodes).some((each) => Object.keys(each).length > 0));
  return html`<div class="card"><h3>Notable headers</h3>${notableHeaders(traits)}
${foldValues('header-values', groups, base)}</div>`;
}
