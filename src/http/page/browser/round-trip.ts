/** Measures round-trip times: first of the page itself, then of small requests while the chart is visible. */
import { formatMs } from '../home/layers.ts';
import { announce, createSvg, messageOf, readJson } from './elements.ts';

/** At most 5 requests in any minute, of the 60 that a visitor has. */
const intervalMs = 15_000;
const maxRequests = 12;
const height = 144;

/** A round trip of 0 is shorter than a step of the browser's clock, which some browsers make long against fingerprinting. */
const formatSample = (ms: number): string => (ms > 0 ? formatMs(ms) : `under ${formatMs(clockStepMs())}`);

let stepMs: number | undefined;

/** In whole milliseconds, at least one. Waits once for the clock's next step, but not forever: a test can stop the clock. */
function clockStepMs(): number {
  if (stepMs !== undefined) return stepMs;
  const began = performance.now();
  let now = began;
  for (let reads = 0; reads < 1_000_000 && now === began; reads++) now = performance.now();
  stepMs = Math.max(1, Math.ceil(now - began));
  return stepMs;
}

export async function measureRoundTrips(): Promise<void> {
  const card = document.querySelector<HTMLElement>('.round-trips');
  const plot = card?.querySelector('svg');
  const state = card?.querySelector('.state');
  const again = card?.querySelector<HTMLElement>('.again');
  if (!card || !plot || !state || !again) return;
  // The time of the page includes its rendering, so it stands in only until the first request.
  const ofPage = durationOf(performance.getEntriesByType('navigation')[0]);
  let shown: readonly number[] = [];
  const show = (samples: readonly number[]): void => {
    shown = samples;
    if (samples.length > 0) draw(card, plot, samples);
  };
  show(ofPage === null ? [] : [ofPage]);
  // A browser scales the chart to another width, of a phone that is turned, with its text.
  new ResizeObserver(() => show(shown)).observe(plot);
  let nextAtMs = 0;
  for (;;) {
    again.hidden = true;
    state.textContent = `Until the first measurement, the dot is the time this page took. While the chart is visible, the page requests /ip every ${intervalMs / 1000} seconds, at most ${maxRequests} times.`;
    const samples: number[] = [];
    let problem: string | null = null;
    for (let n = 1; n <= maxRequests && problem === null; n++) {
      // Also after "Measure again", so that the limit applies.
      await delay(Math.max(0, nextAtMs - performance.now()));
      await untilVisible(card);
      nextAtMs = performance.now() + intervalMs;
      const sample = await measureOnce(n === 1);
      if (typeof sample === 'string') problem = sample;
      if (typeof sample !== 'number') continue;
      samples.push(sample);
      show(samples);
    }
    if (problem !== null) announce(problem);
    state.textContent = problem ?? `${maxRequests} requests measured.`;
    again.hidden = false;
    await new Promise((resolve) => again.addEventListener('click', resolve, { once: true }));
  }
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves when the element is on the screen. A new observer reports that only in a tab that is open. */
export const untilVisible = (element: Element): Promise<void> =>
  new Promise((resolve) => {
    const observer = new IntersectionObserver((entries) => {
      if (!entries.at(-1)?.isIntersecting) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(element);
  });

/** Milliseconds from the first byte of the request to the first byte of the response, without connection setup; null if not measured. */
function durationOf(entry: PerformanceEntry | undefined): number | null {
  const isMeasured = entry instanceof PerformanceResourceTiming && entry.requestStart > 0 && entry.responseStart > 0;
  return isMeasured ? entry.responseStart - entry.requestStart : null;
}

/** The response of /ip, which is an empty line if the address is not known. */
const addressLine = /^[\da-f.:]*\n$/;

/**
 * Returns milliseconds, or a sentence that explains the failure. Null for a first request that the browser did not measure: its
 * time could contain connection setup.
 */
async function measureOnce(isFirst: boolean): Promise<number | string | null> {
  try {
    const began = performance.now();
    const response = await fetch('/ip', { cache: 'no-store', signal: AbortSignal.timeout(intervalMs) });
    if (!response.ok)
      return `${messageOf(await readJson(response))} Measurement stopped; press Measure again to continue.`;
    const text = await response.text();
    const elapsed = performance.now() - began;
    // For example the page of a hotspot.
    if (!addressLine.test(text)) throw new TypeError('not a response of this service');
    const sample = durationOf(performance.getEntriesByName(response.url).at(-1));
    performance.clearResourceTimings();
    return sample ?? (isFirst ? null : elapsed);
  } catch {
    return 'The service is unreachable; check your connection, then press Measure again.';
  }
}

function draw(card: HTMLElement, plot: SVGElement, samples: readonly number[]): void {
  const sorted = samples.toSorted((a, b) => a - b);
  const [min = 0, median = 0, max = 1] = [sorted[0], sorted[(samples.length - 1) >> 1], sorted.at(-1)];
  for (const [name, value] of Object.entries({ last: samples.at(-1) ?? 0, min, median }))
    card.querySelector(`[data-figure=${name}]`)?.replaceChildren(formatSample(value));
  const label = `Round-trip times measured by this page: ${samples.length}; median ${formatSample(median)}`;
  plot.setAttribute('aria-label', label);

  const width = plot.clientWidth || 600;
  const top = roundUp(max || clockStepMs());
  const x0 = 44;
  const y0 = height - 8;
  const y1 = 8;
  const x = (n: number) => x0 + 10 + (n * (width - x0 - 20)) / maxRequests;
  const y = (ms: number) => y0 - (ms / top) * (y0 - y1);
  const line = (ms: number) => [
    createSvg('path', { class: 'axis', d: `M${x0} ${y(ms)}H${width}` }),
    createSvg('text', { x: `${x0 - 8}`, y: `${y(ms) + 4}`, 'text-anchor': 'end' }, formatMs(ms)),
  ];
  plot.setAttribute('viewBox', `0 0 ${width} ${height}`);
  plot.replaceChildren(
    ...[0, top / 2, top].flatMap(line),
    createSvg('path', { class: 'line', d: `M${samples.map((ms, n) => `${x(n)} ${y(ms)}`).join('L')}` }),
    ...samples.map((ms, n) => createSvg('circle', { class: 'dot', cx: `${x(n)}`, cy: `${y(ms)}`, r: '3.5' })),
  );
}

/** Rounds up to 1, 2 or 5 times a power of ten. */
function roundUp(ms: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(ms, 0.1)));
  return (([1, 2, 5] as const).find((step) => step * power >= ms) ?? 10) * power;
}
