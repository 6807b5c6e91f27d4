/** Markup of the round trips by layer; the browser script completes them with a second request. */

import type { ObservedRequest } from '../../../core/observed.ts';
import { type RoundTrips, roundTrip } from '../../../resources/round-trip.ts';
import { separated } from '../fragment.ts';
import { type Fragment, html } from '../markup.ts';
import { explainLayers, formatMs, type Layer, layerNames, layers, widthsOf } from './layers.ts';

const handshakeNote = html`A TLS handshake that does not resume a session includes the check of the certificate.`;

export function layerBars(observed: ObservedRequest): Fragment | null {
  const known: RoundTrips = { ...roundTrip(observed), pingMs: null, tlsResumed: observed.layers.tlsResumed };
  // The values of HTTP/2 arrive after the first request.
  const later: readonly Layer[] = observed.ping === null ? [] : ['http2Ms', 'pingMs'];
  // The edge saw the handshake, but was busy.
  const missing: readonly Layer[] = known.tlsResumed === null ? later : ['tlsMs', ...later];
  const shown = layers.filter((layer) => known[layer] !== null || missing.includes(layer));
  if (shown.length === 0) return null;
  const widths = widthsOf(known);
  const unknown = shown.filter((layer) => known[layer] === null);
  const notes = [
    shown.includes('tlsMs') && handshakeNote,
    unknown.length > 0 &&
      html`<span${unknown.every((layer) => later.includes(layer)) && html` class="later"`}>No value (&ndash;): not measured yet, or this service was busy.</span>`,
  ].filter((note) => note !== false);
  const row = (layer: Layer): Fragment => {
    const ms = known[layer];
    return html`<div data-layer="${layer}"${later.includes(layer) && html` class="later"`}><dt>${layerNames[layer]}</dt>
<dd><svg class="length" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${widths[layer]}" height="1"/></svg>
<span>${ms === null ? html`&ndash;` : formatMs(ms)}</span></dd></div>`;
  };
  return html`<div class="layers"><h3>Round trips by layer</h3>
<dl>${shown.map(row)}</dl>
<p class="explained">${explainLayers(known)}</p>
${notes.length > 0 && html`<p class="small">${separated(notes)}</p>`}</div>`;
}
