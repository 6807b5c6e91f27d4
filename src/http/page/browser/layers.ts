/** Completes the round trips by layer: one request measures them all on its connection, after the first request of the visit. */
import type { RoundTrips } from '../../../resources/round-trip.ts';
import { explainLayers, formatMs, layers, widthsOf } from '../home/layers.ts';
import { untilVisible } from './round-trip.ts';

export async function measureLayers(): Promise<void> {
  const block = document.querySelector('.layers');
  // Without HTTP/2, the page already has all values.
  if (!block?.querySelector('.later')) return;
  await untilVisible(block);
  const response = await fetch('/round-trips', { cache: 'no-store' }).catch(() => null);
  if (!response?.ok) return;
  const measured = (await response.json().catch(() => null)) as RoundTrips | null;
  // Not of this service: for example the page of a hotspot.
  if (measured?.pingMs === undefined) return;
  const widths = widthsOf(measured);
  for (const layer of layers) {
    const ms = measured[layer];
    const row = block.querySelector(`[data-layer=${layer}]`);
    row?.querySelector('rect')?.setAttribute('width', `${widths[layer]}`);
    row?.querySelector('dd span')?.replaceChildren(ms === null ? '–' : formatMs(ms));
  }
  block.querySelector('.explained')?.replaceChildren(explainLayers(measured) ?? '');
}
