/** Rows of values: each has a label and a JSON path, and opens to show its description and more. */

import { beginningOf, clip } from '../../../core/text.ts';
import { Info } from '../../../resources/info.ts';
import { memoize } from '../../response.ts';
import { headerMeanings } from '../data/header-meanings.ts';
import { type Field, fieldsOf } from '../fields.ts';
import { command, createTemplate, fold, quoteForShell, renderUntrusted } from '../fragment.ts';
import { type Fragment, html, raw } from '../markup.ts';

export type Value = string | number | boolean | null;

/** A field, the same object for each request, with its anchor if that is not its path. */
export type RowField = Omit<Field, 'type'> & { readonly id?: string };

export interface Row {
  readonly field: RowField;
  /** Text and numbers have a copy button; a fragment has none. */
  readonly value: Value | Fragment;
  /** In the open row, below the description. */
  readonly more: Fragment | string;
}

/** Characters of a value in its row; the open row shows the rest. */
const maxShownLength = 240;

/** Rows of one group: a request can have 2,000 headers, each of them in a few bytes. */
export const maxRows = 100;

/** The markup of a row that does not depend on its value: rendered once for each field that many requests have. */
const frameOf = memoize(({ label, path, description, unit, id = path }: RowField) => {
  // The path of a header is its name.
  const named = path.endsWith(`.${label}`) ? '' : html` <code class="path">${path}</code>`;
  return {
    start: `${html`<li id="${id}"><details><summary><span class="label">${label}${named}</span> <span class="value">`}`,
    unit: `${html`${unit}`}`,
    description: `${html`<p>${description}</p>`}`,
    button: `${html`<button type="button" class="copy icon" aria-label="Copy ${label}"></button>`}`,
  };
});

/** A link to the path opens the row. The button copies the text in the row's last `bdi`, which has no unit and is not cut. */
function renderRow({ field, value, more }: Row): string {
  const frame = frameOf(field);
  const text = value === null || typeof value === 'object' ? '' : `${value}`;
  const isCut = text.length > maxShownLength;
  const rest = isCut ? ` <span class="none">&hellip; ${text.length} characters</span>` : '';
  const shown =
    text === ''
      ? `<span class="none">${value === null ? 'no' : 'empty'}</span>`
      : `${renderUntrusted(beginningOf(text, maxShownLength))}${frame.unit}${rest}`;
  const summary = value !== null && typeof value === 'object' ? value : shown;
  const whole = isCut ? `<p class="full">${renderUntrusted(text)}</p>` : '';
  const button = text === '' ? '' : frame.button;
  return `${frame.start}${summary}</span></summary><div class="more">${whole}${frame.description}${more}</div></details>${button}</li>`;
}

/** Values below `nodes`, which are named by their JSON path. */
export interface Group {
  /** Absent if it is the only group. */
  readonly title?: string;
  readonly nodes: Readonly<Record<string, unknown>>;
  /** The beginning of a sentence that ends with the labels of the missing values. */
  readonly without: string;
  /** The sentence if all are missing. */
  readonly withoutAll?: string;
  /** Paths whose null is an answer. */
  readonly answered?: readonly string[];
}

/** One closed list of all values in these groups. */
export function foldValues(id: string, groups: readonly Group[], base: string): Fragment {
  const parts = groups.map(({ title, nodes, without, withoutAll, answered = [] }) => {
    const leaves = Object.entries(nodes).flatMap(([path, node]) => [...leavesOf(path, node)]);
    const [missing, known] = partition(leaves, ([path, value]) => value === null && !answered.includes(path));
    const rows = known.map(([path, value]) => rowOf(path, value, base));
    const labels = missing.map(([path]) => fieldOf(path).label);
    const nothing = renderMissing(labels, without, rows.length === 0 ? withoutAll : undefined);
    return { title, rows, left: sumOf(Object.values(nodes).map(countLeft)), missing: nothing };
  });
  return foldParts(id, parts);
}

/** Rows below a title, if there are several parts; what is missing is one sentence. */
interface Part {
  readonly title: string | undefined;
  readonly rows: readonly Row[];
  /** Values without a row. */
  readonly left?: number;
  readonly missing: Fragment | false;
}

/** One closed list of all rows in these parts, with `intro` before them. */
export function foldParts(id: string, parts: readonly Part[], intro: Fragment | '' = ''): Fragment {
  const rendered = parts.map(({ title, rows, left = 0, missing }) => {
    const list = rows.length > 0 && html`<ul class="values">${raw(rows.map(renderRow).join(''))}</ul>`;
    return html`${title && html`<h3>${title}</h3>`}${list}${left > 0 && renderLeft(left)}${missing}`;
  });
  const shown = sumOf(parts.map(({ rows }) => rows.length));
  const all = shown + sumOf(parts.map(({ left = 0 }) => left));
  return fold(
    id,
    shown < all ? `${shown} of ${all} values` : all === 1 ? '1 value' : `All ${all} values`,
    html`${intro}${rendered}`,
  );
}

/** The number of values without a row, and where they are. */
const renderLeft = (left: number): Fragment =>
  html`<p class="small">and ${left} more: <a href="/json">the JSON</a> has all of them.</p>`;

export const renderMissing = (labels: readonly string[], without: string, withoutAll?: string): Fragment | false =>
  labels.length > 0 && html`<p class="small">${withoutAll ?? `${without}: ${labels.join(', ')}.`}</p>`;

export function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): readonly [Item[], Item[]] {
  const { first = [], second = [] } = Object.groupBy(items, (item) => (isFirst(item) ? 'first' : 'second'));
  return [first, second];
}

function rowOf(path: string, value: Value, base: string): Row {
  const field = fieldOf(path);
  return { field, value, more: raw(commandOf(field)(base)) };
}

/** The command that prints a value; for the name of a header that is cut, one that prints all. */
const commandOf = memoize(({ path }: RowField) => {
  const line = path.endsWith('…') ? ':' : `^${path.replace(/[.*[\]^$\\]/g, '\\$&')}:`;
  return createTemplate((base) => {
    const curl = `curl -s ${quoteForShell(`${base}/json?format=text`)} | grep ${quoteForShell(line)}`;
    return String(command(curl, `the command for ${path}`));
  });
});

const isMembers = (node: unknown): node is Readonly<Record<string, unknown>> =>
  typeof node === 'object' && node !== null;

/** Only the first members of an object with too many, which are its leaves. */
function* leavesOf(path: string, node: unknown): Generator<readonly [path: string, value: Value]> {
  if (!isMembers(node)) yield [path, node as Value];
  else for (const name of Object.keys(node).slice(0, maxRows)) yield* leavesOf(`${path}.${name}`, node[name]);
}

/** The number of members without a row. */
const countLeft = (node: unknown): number => (isMembers(node) ? Math.max(0, Object.keys(node).length - maxRows) : 0);

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);

const fields: ReadonlyMap<string, RowField> = fieldsOf(Info);

/** Only headers are not in the schema: their name is the rest of the path. */
function fieldOf(path: string): RowField {
  const known = fields.get(path) ?? headerFields.get(path);
  if (known !== undefined) return known;
  const name = path.slice(path.indexOf('.') + 1);
  const field = { path: clip(path), label: clip(name), description: headerMeaning(name), unit: '' };
  // A client can vary the other names.
  if (headerMeanings.has(name)) headerFields.set(path, field);
  return field;
}

/** Fields of common headers, by path. */
const headerFields = new Map<string, RowField>();

const headerMeaning = (name: string): string =>
  headerMeanings.get(name) ??
  (name.startsWith('sec-ch-') ? 'Client Hint (structured header of the browser)' : 'Request header');
