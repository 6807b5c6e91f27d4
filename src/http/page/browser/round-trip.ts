/** Round trips that this page measures itself: one small request after the other, a third of what the limit allows. */
import { drawing, say } from './elements.ts';

const intervalMs = 3_000;
const most = 20;
const height = 144;

export function roundTrips(): void {
  const card = document.querySelector<HTMLElement>('.round-trips');
  const plot = card?.querySelector('svg');
  const state = card?.querySelector('.state');
  const again = card?.querySelector<HTMLElement>('.again');
  if (!card || !plot || !state || !again) return;

  let samples: number[] = [];
  let isOnScreen = false;
  let isAsking = false;
  let timer: ReturnType<typeof setInterval> | undefined;

  const stop = (reason: string): void => {
    clearInterval(timer);
    timer = undefined;
    state.textContent = reason;
    again.hidden = false;
  };
  const tick = async (): Promise<void> => {
    if (!isOnScreen || isAsking || document.hidden) return;
    isAsking = true;
    const sample = await measured();
    isAsking = false;
    if (timer === undefined) return;
    if (typeof sample === 'string') {
      stop(sample);
      say(sample);
      return;
    }
    samples = [...samples, sample];
    draw(card, plot, samples);
    if (samples.length >= most) stop(`${most} calls measured.`);
  };
  const start = (): void => {
    samples = [];
    again.hidden = true;
    state.textContent = `One call to /ip every ${intervalMs / 1000} seconds, ${most} at most, while this is on your screen.`;
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

/** Milliseconds, or why there are none. */
async function measured(): Promise<number | string> {
  try {
    const began = performance.now();
    const response = await fetch('/ip', { cache: 'no-store' });
    const body = await response.text();
    const elapsed = performance.now() - began;
    if (!response.ok)
      return `${JSON.parse(body).message ?? 'The service refused.'} Nothing more is measured until you ask for it.`;
    // From the request's first byte to the answer's: without waiting for a connection.
    const timing = performance.getEntriesByName(response.url).at(-1);
    performance.clearResourceTimings();
    const isTimed = timing instanceof PerformanceResourceTiming && timing.requestStart > 0;
    return isTimed ? timing.responseStart - timing.requestStart : elapsed;
  } catch {
    return 'The service cannot be reached.';
  }
}

function draw(card: HTMLElement, plot: SVGElement, samples: readonly number[]): void {
  const sorted = samples.toSorted((a, b) => a - b);
  const figures = { last: samples.at(-1) ?? 0, least: sorted[0] ?? 0, median: sorted[samples.length >> 1] ?? 0 };
  for (const [name, value] of Object.entries(figures)) {
    card.querySelector(`[data-figure=${name}]`)?.replaceChildren(inMs(value));
  }
  plot.setAttribute(
    'aria-label',
    `${samples.length} round trips measured by this page, median ${inMs(figures.median)}`,
  );

  const width = plot.clientWidth || 600;
  const top = roundedUp(sorted.at(-1) ?? 1);
  const [x0, y0, y1] = [44, height - 8, 8];
  const x = (n: number) => x0 + 10 + (n * (width - x0 - 20)) / (most - 1);
  const y = (ms: number) => y0 - (ms / top) * (y0 - y1);
  const line = (ms: number) => [
    drawing('path', { class: 'axis', d: `M${x0} ${y(ms)}H${width}` }),
    drawing('text', { x: String(x0 - 8), y: String(y(ms) + 4), 'text-anchor': 'end' }, inMs(ms)),
  ];
  plot.setAttribute('viewBox', `0 0 ${width} ${height}`);
  plot.replaceChildren(
    ...[0, top / 2, top].flatMap(line),
    drawing('path', { class: 'line', d: `M${samples.map((ms, n) => `${x(n)} ${y(ms)}`).join('L')}` }),
    ...samples.map((ms, n) => drawing('circle', { class: 'dot', cx: String(x(n)), cy: String(y(ms)), r: '3.5' })),
  );
}

const inMs = (ms: number): string => `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;

/** To 1, 2 or 5 and zeros. */
function roundedUp(ms: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(ms, 0.1)));
  return (([1, 2, 5] as const).find((step) => step * power >= ms) ?? 10) * power;
}
