/** Measures round-trip times: first that of the page itself, then those of small requests while the chart is visible. */
import { announce, createSvg } from './elements.ts';

/** At most 5 requests in any minute, of the 60 that a visitor has. */
const intervalMs = 15_000;
const maxRequests = 12;
const height = 144;

export function measureRoundTrips(): void {
  const card = document.querySelector<HTMLElement>('.round-trips');
  const plot = card?.querySelector('svg');
  const state = card?.querySelector('.state');
  const again = card?.querySelector<HTMLElement>('.again');
  if (!card || !plot || !state || !again) return;

  let samples: number[] = [];
  let requestCount = 0;
  let hasOnlyPage = false;
  let isOnScreen = false;
  let isStopped = false;
  let sentAtMs = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const add = (sample: number): void => {
    // The time of the page includes its rendering, so it stands in only until the first request.
    samples = requestCount > 0 && hasOnlyPage ? [sample] : [...samples, sample];
    hasOnlyPage = requestCount === 0;
    draw(card, plot, samples);
  };
  const stop = (reason: string): void => {
    isStopped = true;
    state.textContent = reason;
    again.hidden = false;
  };
  /** Waits for the next turn, also after "Measure again", so that the limit holds. */
  const schedule = (): void => {
    clearTimeout(timer);
    if (isStopped || !isOnScreen) return;
    timer = setTimeout(tick, Math.max(0, sentAtMs + intervalMs - performance.now()));
  };
  const tick = async (): Promise<void> => {
    if (document.hidden) return schedule();
    sentAtMs = performance.now();
    requestCount++;
    const sample = await measureOnce(requestCount === 1);
    if (typeof sample === 'string') {
      stop(sample);
      announce(sample);
      return;
    }
    if (sample !== null) add(sample);
    if (requestCount >= maxRequests) stop(`${requestCount} requests measured.`);
    schedule();
  };
  const start = (): void => {
    isStopped = false;
    again.hidden = true;
    state.textContent = `Until the first measurement, the dot is the time this page took. While the chart is visible, the page requests /ip every ${intervalMs / 1000} seconds, at most ${maxRequests} times.`;
    schedule();
  };
  again.addEventListener('click', () => {
    samples = [];
    requestCount = 0;
    start();
  });
  document.addEventListener('visibilitychange', schedule);
  const ofPage = durationOf(performance.getEntriesByType('navigation')[0]);
  if (ofPage !== null) add(ofPage);
  start();
  new IntersectionObserver((entries) => {
    isOnScreen = entries.at(-1)?.isIntersecting ?? false;
    schedule();
  }).observe(card);
}

/** Milliseconds from the first byte of the request to the first byte of the response, without connection setup; null if not measured. */
function durationOf(entry: PerformanceEntry | undefined): number | null {
  const isMeasured = entry instanceof PerformanceResourceTiming && entry.requestStart > 0 && entry.responseStart > 0;
  return isMeasured ? entry.responseStart - entry.requestStart : null;
}

/**
 * Returns milliseconds, or a sentence that explains the failure. Null for a first request that the browser did not measure: its
 * time could contain connection setup.
 */
async function measureOnce(isFirst: boolean): Promise<number | string | null> {
  try {
    const began = performance.now();
    const response = await fetch('/ip', { cache: 'no-store' });
    const body = await response.text();
    const elapsed = performance.now() - began;
    if (!response.ok)
      return `${JSON.parse(body).message ?? 'The service rejected the request.'} Measurement stopped; press Measure again to continue.`;
    const sample = durationOf(performance.getEntriesByName(response.url).at(-1));
    performance.clearResourceTimings();
    return sample ?? (isFirst ? null : elapsed);
  } catch {
    return 'The service is unreachable; check your connection, then press Measure again.';
  }
}

function draw(card: HTMLElement, plot: SVGElement, samples: readonly number[]): void {
  const sorted = samples.toSorted((a, b) => a - b);
  const figures = { last: samples.at(-1) ?? 0, min: sorted[0] ?? 0, median: sorted[(samples.length - 1) >> 1] ?? 0 };
  for (const [name, value] of Object.entries(figures)) {
    card.querySelector(`[data-figure=${name}]`)?.replaceChildren(formatMs(value));
  }
  plot.setAttribute(
    'aria-label',
    `Round-trip times measured by this page: ${samples.length}; median ${formatMs(figures.median)}`,
  );

  const width = plot.clientWidth || 600;
  const top = roundUp(sorted.at(-1) ?? 1);
  const [x0, y0, y1] = [44, height - 8, 8];
  const x = (n: number) => x0 + 10 + (n * (width - x0 - 20)) / maxRequests;
  const y = (ms: number) => y0 - (ms / top) * (y0 - y1);
  const line = (ms: number) => [
    createSvg('path', { class: 'axis', d: `M${x0} ${y(ms)}H${width}` }),
    createSvg('text', { x: String(x0 - 8), y: String(y(ms) + 4), 'text-anchor': 'end' }, formatMs(ms)),
  ];
  plot.setAttribute('viewBox', `0 0 ${width} ${height}`);
  plot.replaceChildren(
    ...[0, top / 2, top].flatMap(line),
    createSvg('path', { class: 'line', d: `M${samples.map((ms, n) => `${x(n)} ${y(ms)}`).join('L')}` }),
    ...samples.map((ms, n) => createSvg('circle', { class: 'dot', cx: String(x(n)), cy: String(y(ms)), r: '3.5' })),
  );
}

const formatMs = (ms: number): string => `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;

/** Rounds up to 1, 2 or 5 times a power of ten. */
function roundUp(ms: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(ms, 0.1)));
  return (([1, 2, 5] as const).find((step) => step * power >= ms) ?? 10) * power;
}
