/**
 * Back and Forward without a lookup: what lookups showed stays in the tab's session storage, as values from which elements are created,
 * because the pages' policy forbids to parse markup. The server runs no lookup for the URL of a history entry that is marked as shown.
 * While a page is open, its URL has no mark, so that a reload and a copied URL look up again.
 */
import { createElement, createSvg } from './elements.ts';

/** Text, or an element. */
type Kept = string | readonly [name: string, attributes: Readonly<Record<string, string>>, children: readonly Kept[]];

interface Shown {
  readonly atMs: number;
  /** The line about a part of a report. */
  readonly brief: string;
  readonly content: readonly Kept[];
}

interface Page {
  /** Null for a result that is not kept. */
  readonly results: readonly (Shown | null)[];
  /** Values of the forms, in order. */
  readonly fields: readonly string[];
  /** Id of the selected tab. */
  readonly tab: string | null;
}

const mark = 'shown=1';

/** The query of the page's URL without the mark. */
const search = (): string => location.search.replace(/[?&]shown=1$/, '');

const resultsOf = () => [...document.querySelectorAll<HTMLElement>('.tool .result, .loaded .result')];
const fieldsOf = () => [...document.querySelectorAll<HTMLInputElement | HTMLSelectElement>('.tool :is(input, select)')];

/** The page that the server rendered with a result, and can render without one. */
const rendered = () => document.querySelector<HTMLElement>('.result[data-again]');

/** States that a result came from a lookup now; those about the visitor's own address are not kept. */
export function stateTime(result: HTMLElement, isAboutVisitor: boolean): void {
  if (!isAboutVisitor) result.dataset.at = `${Date.now()}`;
}

/** Whether the result is there from a lookup that this tab has kept. */
export const isShown = (part: Element): boolean => part.querySelector('.result[data-at]') !== null;

/** Shows what the page showed when it was left, if Back or Forward led here; keeps it when the page is left. */
export function keepResults(): void {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  if (entry?.type === 'back_forward') restore();
  const result = rendered();
  // Nothing is kept, or this is not a way back: look up.
  if (result?.dataset.again && result.childElementCount === 0) {
    location.replace(result.dataset.again);
    return;
  }
  if (result && result.dataset.at === undefined) stateTime(result, result.dataset.visitor !== undefined);
  setMark(false);
  addEventListener('pageshow', () => setMark(false));
  addEventListener('beforeunload', leave);
  // On iOS, there is no other event.
  addEventListener('pagehide', leave);
}

function leave(): void {
  if (keep()) setMark(rendered()?.dataset.at !== undefined || document.querySelector('.report') !== null);
}

function setMark(isMarked: boolean): void {
  const query = search();
  const url = isMarked ? `${query}${query === '' ? '?' : '&'}${mark}` : query;
  if (url !== location.search) history.replaceState(history.state, '', location.pathname + url + location.hash);
}

/** Returns whether there was something to keep, and it is kept. */
function keep(): boolean {
  const key = location.pathname + search();
  const results = resultsOf().map((result): Shown | null => {
    if (result.dataset.at === undefined) return null;
    const nodes = [...result.childNodes].filter((node) => !(node instanceof Element && node.matches('.looked-up')));
    return { atMs: Number(result.dataset.at), brief: result.dataset.brief ?? '', content: nodes.flatMap(describe) };
  });
  const tab = document.querySelector('[role=tab][aria-selected=true]')?.id ?? null;
  const page: Page = { results, fields: fieldsOf().map(({ value }) => value), tab };
  const write = () => sessionStorage.setItem(key, JSON.stringify(page));
  try {
    if (results.every((result) => result === null)) {
      // What the URL showed before is older than what it shows now.
      sessionStorage.removeItem(key);
      return false;
    }
    write();
    return true;
  } catch {
    // Full: older pages look up again. Or not available: then all do.
    try {
      sessionStorage.clear();
      write();
      return true;
    } catch {
      return false;
    }
  }
}

function restore(): void {
  const page = read();
  if (page === null) return;
  const fields = fieldsOf();
  for (const [n, value] of page.fields.entries()) if (fields[n]) fields[n].value = value;
  if (page.tab !== null) document.getElementById(page.tab)?.click();
  for (const [n, result] of resultsOf().entries()) {
    const shown = page.results[n];
    // On a lookup's page without the mark, the server looked up again.
    if (!shown || !result.matches(':empty, .loaded > .result')) continue;
    const at = new Date(shown.atMs);
    const isToday = at.toDateString() === new Date().toDateString();
    const time = isToday ? at.toLocaleTimeString('en-GB') : at.toLocaleString('en-GB');
    const note = createElement(
      'p',
      { class: 'small looked-up' },
      `Looked up at ${time}, and shown again without a lookup.`,
    );
    result.replaceChildren(note, ...shown.content.map((kept) => create(kept, false)));
    result.dataset.at = `${shown.atMs}`;
    result.dataset.brief = shown.brief;
  }
}

function read(): Page | null {
  try {
    return JSON.parse(sessionStorage.getItem(location.pathname + search()) ?? 'null');
  } catch {
    return null;
  }
}

function describe(node: Node): Kept[] {
  if (node instanceof Text) return [node.data];
  if (!(node instanceof Element)) return [];
  const attributes = Object.fromEntries([...node.attributes].map(({ name, value }) => [name, value]));
  return [[node.localName, attributes, [...node.childNodes].flatMap(describe)]];
}

function create(kept: Kept, isInSvg: boolean): Node {
  if (typeof kept === 'string') return document.createTextNode(kept);
  const [name, attributes, children] = kept;
  const isSvg = isInSvg || name === 'svg';
  return (isSvg ? createSvg : createElement)(name, attributes, ...children.map((child) => create(child, isSvg)));
}
