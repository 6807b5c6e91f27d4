/** Measures round-trip times with small requests, at a third of the general rate. */
import { announce, createSvg } from './elements.ts';

const intervalMs = 3_000;
const maxSamples = 20;
const height = 144;

export function measureRoundTrips(): void {
  const card = document.querySelector<HTMLElement>('.round-trips');
  const plot = card?.querySelector('svg');
  const state = card?.querySelector('.state');
  const again = card?.querySelector<HTMLElement>('.again');
  if (!card || !plot || !state || !again) return;

  let samples: number[] = [];
  let isOnScreen = false;
  let isMeasuring = false;
  let timer: ReturnType<typeof setInterval> | undefined;

  const stop = (reason: string): void => {
    clearInterval(timer);
    timer = undefined;
    state.textContent = reason;
    again.hidden = false;
  };
  const tick = async (): Promise<void> => {
    if (!isOnScreen || isMeasuring || document.hidden) return;
    isMeasuring = true;
    const sample = await measureOnce();
    isMeasuring = false;
    if (timer === undefined) return;
    if (typeof sample === 'string') {
      stop(sample);
      announce(sample);
      return;
    }
    samples = [...samples, sample];
    draw(card, plot, samples);
    if (samples.length >= maxSamples) stop(`${maxSamples} requests measured.`);
  };
  const start = (): void => {
    samples = [];
    again.hidden = true;
    state.textContent = `One request to /ip every ${intervalMs / 1000} seconds, at most ${maxSamples}, only while this is visible.`;
    timer = setInterval(tick, intervalMs);
    tick();
  };
  again.addEventListener('click', start);
  const observer = new IntersectionObserver((entries) => {
    isOnScreen = entries.at(-1)?.isIntersecting ?? false;
    if (isOnScreen && timer === undefined && samples.length === 0) start();
  });
  observer.observe(card);
}

/** Returns milliseconds, or a sentence that explains the failure. */
async function measureOnce(): Promise<number | string> {
  try {
    const began = performance.now();
    const response = await fetch('/ip', { cache: 'no-store' });
    const body = await response.text();
    const elapsed = performance.now() - began;
    if (!response.ok)
      return `${JSON.parse(body).message ?? 'The service rejected the request.'} Measurement stopped; press Measure again to continue.`;
    // From the first byte of the request to the first byte of the response, without connection setup.
    const timing = performance.getEntriesByName(response.url).at(-1);
    performance.clearResourceTimings();
    const isTimed = timing instanceof PerformanceResourceTiming && timing.requestStart > 0;
    return isTimed ? timing.responseStart - timing.requestStart : elapsed;
  } catch {
    return 'The service is unreachable; check your connection, then press Measure again.';
  }
}

function draw(card: HTMLElement, plot: SVGElement, samples: readonly number[]): void {
  const sorted = samples.toSorted((a, b) => a - b);
  const figures = { last: samples.at(-1) ?? 0, min: sorted[0] ?? 0, median: sorted[samples.length >> 1] ?? 0 };
  for (const [name, value] of Object.entries(figures)) {
    card.querySelector(`[data-figure=${name}]`)?.replaceChildren(formatMs(value));
  }
  plot.setAttribute(
    'aria-label',
    `${samples.length} round-trip times measured by this page, median ${formatMs(figures.median)}`,
  );

  const width = plot.clientWidth || 600;
  const top = roundUp(sorted.at(-1) ?? 1);
  const [x0, y0, y1] = [44, height - 8, 8];
  const x = (n: number) => x0 + 10 + (n * (width - x0 - 20)) / (maxSamples - 1);
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
