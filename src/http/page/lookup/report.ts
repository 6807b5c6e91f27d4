/** The report about a domain: its form, one line about each part, and the parts, which the browser script loads. */

import { ServiceError } from '../../../core/errors.ts';
import { limitsOf, windowSeconds } from '../../../core/limits.ts';
import { unlimited } from '../../../core/platform.ts';
import type { Deployment, RequestContext, Site } from '../../../core/request-context.ts';
import { formatCount } from '../../../core/text.ts';
import { isOfferedBy } from '../../../lookups/lookup.ts';
import { reportParts } from '../../../lookups/report.ts';
import { lookupRates } from '../../endpoint.ts';
import { type Fragment, html } from '../markup.ts';
import { pathOf, renderForm, renderUnknownOrigin, report } from './navigation.ts';
import { lookupPageOf } from './pages.ts';

/** The lookups of a report. */
export const partsOf = (deployment: Deployment) => reportParts.filter(({ lookup }) => isOfferedBy(lookup, deployment));

/** What a client has left of each rate that counts lookups; rates without a limit, or unknown to the runtime, are omitted. */
const leftOf = ({ observed, platform }: RequestContext) =>
  lookupRates.flatMap((rate) => {
    const { remaining, resetSeconds } = platform.left?.(rate, observed.rateKey) ?? unlimited;
    return remaining === null ? [] : [{ rate, remaining, resetSeconds: resetSeconds ?? windowSeconds }];
  });

const nouns = { general: 'requests', lookup: 'lookups' };

/** The page's script counts its number down. */
const tryAgain = (seconds: number): string => `try again in ${formatCount(seconds, 'second')}.`;

/** The message about a lookup that a rate rejected. */
export function describeTooMany(context: RequestContext): string {
  const exhausted = leftOf(context).filter(({ remaining }) => remaining === 0);
  const [last] = exhausted.sort((one, other) => other.resetSeconds - one.resetSeconds);
  const { rate = 'lookup', resetSeconds = windowSeconds } = last ?? {};
  return `Too many ${nouns[rate]} from this IP, which others on your network may share; ${tryAgain(resetSeconds)}`;
}

/** Throws `rate_limited` with the time, if the client has fewer lookups left than a report needs: half a report helps nobody. */
export function checkLookupsLeft(context: RequestContext): void {
  const limits = limitsOf(context.deployment);
  for (const { rate, remaining, resetSeconds } of leftOf(context)) {
    // This page was one of the requests.
    const limit = rate === 'general' ? limits.general - 1 : limits.lookup;
    const needed = Math.min(partsOf(context.deployment).length, limit);
    if (remaining >= needed) continue;
    const rest = `this IP has ${remaining === 0 ? 'none' : remaining} left`;
    throw new ServiceError(
      'rate_limited',
      `A report needs ${needed} ${nouns[rate]}, and ${rest}; ${tryAgain(resetSeconds)}`,
    );
  }
}

/** `lookup`: the visitor requested the report, so that the script may load it; see `Outcome` for the others. */
export type ReportStage = 'lookup' | 'waiting' | 'unknown' | 'empty';

/** The report: several lookups on one page, each of which the browser script loads by itself. Without scripts, links. */
export function renderReport(name: string, stage: ReportStage, { deployment }: Site): Fragment {
  const isRequested = stage === 'lookup';
  const limit = limitsOf(deployment).lookup;
  const parts = partsOf(deployment);
  const cost = `A report counts as ${parts.length} lookups${limit > 0 ? `, of ${limit} per ${windowSeconds} seconds` : ''}.`;
  const form = html`<div class="card tool${isRequested && ' above-report'}">${renderForm(report, new URLSearchParams({ name }))}
<p class="small">${cost}${stage === 'waiting' && ' Nothing is sent until you press the button or a link.'}</p>${stage === 'unknown' && renderUnknownOrigin(report.page.action)}</div>`;
  if (name === '') return form;
  const contents = parts.map(
    ({ id, title }) => html`<li><a href="#${id}">${title}</a> <span class="brief" data-of="${id}"></span></li> `,
  );
  return html`${form}
<div${isRequested && html` class="report"`}>${isRequested && html`<nav aria-label="Contents"><ul class="contents">${contents}</ul></nav>`}
${parts.map(({ id, title, lookup, queryOf }) => {
  const page = lookupPageOf(lookup);
  const href = pathOf(page.path, lookup.parameter.name, queryOf(name));
  return html`<div class="card loaded" id="${id}"${isRequested && html` data-load="${href}"`}><h2>${title}</h2><div class="result"><p><a href="${href}">${page.action}</a></p></div></div>`;
})}</div>`;
}
