/** Rows of values: each has a label and a JSON path, and opens to show its description and more. */
import { html } from 'hono/html';
import { Info } from '../../../resources/info.ts';
import { headerMeanings } from '../data/header-meanings.ts';
import { type Field, fieldsOf } from '../fields.ts';
import { command, type Fragment, fold, quoteForShell, renderUntrusted } from '../fragment.ts';

export type Value = string | number | boolean | null;

export interface Row {
  readonly field: Omit<Field, 'type'>;
  /** Text and numbers have a copy button; a fragment has none. */
  readonly value: Value | Fragment;
  /** The anchor, if it is not the path. */
  readonly id?: string;
  /** In the open row, below the description. */
  readonly more: Fragment | string;
}

/** Characters of a value in its row; the open row shows the rest. */
const maxShownLength = 240;

/** A link to the path opens the row. The button copies the text in the row's last `bdi`, which has no unit and is not cut. */
function renderRow({ field, value, id = field.path, more }: Row): Fragment {
  const { label, path, description, unit } = field;
  const text = value === null || typeof value === 'object' ? '' : `${value}`;
  const isCut = text.length > maxShownLength;
  const rest = isCut ? html` <span class="none">&hellip; ${text.length} characters</span>` : '';
  const shown =
    text === ''
      ? html`<span class="none">${value === null ? 'no' : 'empty'}</span>`
      : html`${renderUntrusted(text.slice(0, maxShownLength))}${unit}${rest}`;
  // The path of a header is its name.
  const named = path.endsWith(`.${label}`) ? '' : html`<code class="path">${path}</code>`;
  return html`<li id="${id}"><details><summary><span class="label">${label}${named}</span><span class="value">${
    value !== null && typeof value === 'object' ? value : shown
  }</span></summary><div class="more">${isCut && html`<p class="full">${renderUntrusted(text)}</p>`}<p>${description}</p>${more}</div></details>${
    text !== '' && html`<button type="button" class="copy icon" aria-label="Copy ${label}"></button>`
  }</li>`;
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

const fields = fieldsOf(Info);

/** One closed list of all values in these groups. */
export function foldValues(id: string, groups: readonly Group[], base: string): Fragment {
  const parts = groups.map(({ title, nodes, without, withoutAll, answered = [] }) => {
    const leaves = Object.entries(nodes).flatMap(([path, node]) => [...leavesOf(path, node)]);
    const [missing, known] = partition(leaves, ([path, value]) => value === null && !answered.includes(path));
    const rows = known.map(([path, value]) => rowOf(path, value, base));
    const labels = missing.map(([path]) => fieldOf(path).label);
    return { title, rows, missing: renderMissing(labels, without, rows.length === 0 ? withoutAll : undefined) };
  });
  return foldParts(id, parts);
}

/** Rows below a title, if there are several parts; what is missing is one sentence. */
interface Part {
  readonly title: string | undefined;
  readonly rows: readonly Row[];
  readonly missing: Fragment | false;
}

/** One closed list of all rows in these parts, with `intro` before them. */
export function foldParts(id: string, parts: readonly Part[], intro: Fragment | '' = ''): Fragment {
  const rendered = parts.map(
    ({ title, rows, missing }) =>
      html`${title && html`<h3>${title}</h3>`}${rows.length > 0 && html`<ul class="values">${rows.map(renderRow)}</ul>`}${missing}`,
  );
  return fold(id, `All ${parts.flatMap(({ rows }) => rows).length} values`, html`${intro}${rendered}`);
}

export const renderMissing = (labels: readonly string[], without: string, withoutAll?: string): Fragment | false =>
  labels.length > 0 && html`<p class="small">${withoutAll ?? `${without}: ${labels.join(', ')}.`}</p>`;

export function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): readonly [Item[], Item[]] {
  const { first = [], second = [] } = Object.groupBy(items, (item) => (isFirst(item) ? 'first' : 'second'));
  return [first, second];
}

function rowOf(path: string, value: Value, base: string): Row {
  const line = `^${path.replace(/[.*[\]^$\\]/g, '\\$&')}:`;
  const curl = `curl -s ${quoteForShell(`${base}/json?format=text`)} | grep ${quoteForShell(line)}`;
  return { field: fieldOf(path), value, more: command(curl, `the command for ${path}`) };
}

function* leavesOf(path: string, node: unknown): Generator<readonly [path: string, value: Value]> {
  if (typeof node !== 'object' || node === null) yield [path, node as Value];
  else for (const [name, child] of Object.entries(node)) yield* leavesOf(`${path}.${name}`, child);
}

/** Only headers are not in the schema: their name is the rest of the path. */
function fieldOf(path: string): Row['field'] {
  const name = path.slice(path.indexOf('.') + 1);
  return fields.get(path) ?? { path, label: name, description: headerMeaning(name), unit: '' };
}

const headerMeaning = (name: string): string =>
  headerMeanings.get(name) ??
  (name.startsWith('sec-ch-') ? 'Client Hint (structured header of the browser)' : 'Request header');
