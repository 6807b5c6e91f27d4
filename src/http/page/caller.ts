/** Who is thought to be calling, why, and what bot detection would notice. */
import { html } from 'hono/html';
import type { HeaderTraits } from '../../client/header-traits.ts';
import type { Kind } from '../../client/kinds.ts';
import type { Info } from '../../resources/info.ts';
import { type Fragment, shown } from './fragment.ts';

const kindNames: Readonly<Record<Kind, string>> = {
  browser: 'a browser',
  'search-crawler': 'the crawler of a search engine',
  'ai-crawler': 'a crawler that gathers for AI models',
  'ai-assistant': 'an AI assistant',
  'social-preview': 'a fetcher of link previews',
  'http-library': 'an HTTP library',
  cli: 'a command-line tool',
  'headless-browser': 'a browser without a screen, driven by a program',
  monitoring: 'a monitor',
  bot: 'a bot',
  unknown: 'a client we do not know',
};

/** Such as `Chrome 156 on Linux`. */
export function nameOf({ userAgent: { bot, browser, os } }: Pick<Info, 'userAgent'>): string {
  const name = bot?.name ?? browser.name;
  if (name === null) return 'Unknown client';
  const version = bot === null ? (browser.major ?? '') : '';
  return `${name} ${version}`.trim() + (os.name === null ? '' : ` on ${os.name}`);
}

export const kindOf = ({ userAgent: { kind } }: Pick<Info, 'userAgent'>): string => kindNames[kind];

export function caller(info: Info): Fragment {
  return html`<p class="who">${shown(nameOf(info))}</p>
<p>We think this is ${kindOf(info)}, because</p>
<ul class="points">${reasons(info).map((reason) => html`<li>${reason}</li>`)}</ul>`;
}

function reasons({ userAgent, headers }: Info): Fragment[] {
  const { raw, bot, browser, kind } = userAgent;
  if (raw === '') return [html`it sent no User-Agent header, which is where a client names itself.`];
  if (bot !== null) {
    const operator = bot.operator === null ? '' : html`, run by ${shown(bot.operator)}`;
    return [
      kind === 'bot'
        ? html`its User-Agent names ${shown(bot.name)}${operator} and is not a browser's.`
        : html`its User-Agent has what ${shown(bot.name)} sends${operator}.`,
      html`Anyone can copy a User-Agent: this is a claim, and nothing here proves it.`,
    ];
  }
  if (kind === 'unknown') return [html`its User-Agent has nothing that we know of a browser, library, tool or bot.`];
  const hinted = 'sec-ch-ua' in headers;
  return [
    html`its User-Agent is one that ${browser.name === null ? 'browsers' : shown(browser.name)} ${browser.name === null ? 'send' : 'sends'}, and has no name of a bot, library or tool in it.`,
    hinted
      ? html`Its Client Hints (<code>sec-ch-ua</code> headers) tell version, system and device where the User-Agent is frozen.`
      : html`It sent no Client Hints; only browsers built on Chromium do, and only over HTTPS.`,
  ];
}

export function hints({ hints, notApplicable }: HeaderTraits): Fragment {
  const rest = html`<p class="small">Hints, not proofs; ${notApplicable.length} rules did not apply. AI agents
get the same from the tool <code>check_headers</code>.</p>`;
  if (hints.length === 0) {
    return html`<p>Nothing: these headers have none of the traits that bot detection often weights.</p>${rest}`;
  }
  return html`<ul class="hints">${hints.map(
    ({
      level,
      hint,
      reason,
      headers,
    }) => html`<li><span class="chip ${level === 'info' ? 'plain' : level}">${level}</span> ${shown(hint)}
<p class="small">${shown(reason)} ${headers.map((name) => html`<code>${shown(name)}</code> `)}</p></li>`,
  )}</ul>${rest}`;
}
