/** The card of live round-trip times; the browser script measures them. */
import { html } from 'hono/html';
import type { Info } from '../../../resources/info.ts';
import type { Fragment } from '../fragment.ts';

export function roundTrips({ network: { clientQuicRttMs, clientTcpRttMs } }: Info): Fragment {
  const rttMs = clientQuicRttMs ?? clientTcpRttMs;
  return html`<div class="card only-js wide round-trips"><h3>Live round-trip times</h3>
<dl class="figures">${[
    ['last', 'Last'],
    ['min', 'Min'],
    ['median', 'Median'],
  ].map(([name, label]) => html`<div><dt>${label}</dt><dd data-figure="${name}">–</dd></div>`)}${
    rttMs === null ? '' : html`<div><dt>Measured by the server</dt><dd>${rttMs} ms</dd></div>`
  }</dl>
<svg class="plot" role="img" aria-label="Round-trip times measured by this page"></svg>
<p class="small"><span class="state"></span> <button type="button" class="copy quiet again" hidden>Measure again</button></p>
</div>`;
}
