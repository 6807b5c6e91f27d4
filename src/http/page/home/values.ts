/** Rows of values: each has a label and a JSON path, and opens to show its description and more. */
import { html } from 'hono/html';
import { Info } from '../../../resources/info.ts';
import { type Field, fieldsOf } from '../fields.ts';
import { command, type Fragment, quoteForShell, renderUntrusted } from '../fragment.ts';
import { headerMeaning } from './header-meanings.ts';

export interface Row {
  readonly field: Omit<Field, 'type'>;
  /** Text and numbers have a copy button; a fragment has none. */
  readonly value: string | number | boolean | null | Fragment;
  /** Shown instead of null. */
  readonly word?: string | undefined;
  /** In the open row, below the description. */
  readonly more: Fragment | string;
}

/** Characters of a value in its row; the open row shows the rest. */
const maxShownLength = 240;

/** The button copies the text in the row's last `bdi`, which has no unit and is not cut. */
export function renderRow({ field, value, word = 'not available', more }: Row): Fragment {
  const { label, path, description, unit } = field;
  const text = value === null || typeof value === 'object' ? '' : `${value}`;
  const isCut = text.length > maxShownLength;
  const none = html`<span class="none">${value === null ? word : 'empty'}</span>`;
  const rest = isCut ? html` <span class="none">… ${text.length} characters</span>` : '';
  const shown = text === '' ? none : html`${renderUntrusted(text.slice(0, maxShownLength))}${unit}${rest}`;
  return html`<li><details><summary><span class="label">${label}<code class="path">${path}</code></span><span class="value">${
    value !== null && typeof value === 'object' ? value : shown
  }</span></summary><div class="more">${isCut ? html`<p class="full">${renderUntrusted(text)}</p>` : ''}<p>${description}</p>${more}</div></details>${
    text === '' ? '' : html`<button type="button" class="copy icon" aria-label="Copy ${label}"></button>`
  }</li>`;
}

const fields = fieldsOf(Info);

/** One list of all values below `nodes`, which are named by their JSON path. `words` replace a null value, by path. */
export function values(
  nodes: Readonly<Record<string, unknown>>,
  base: string,
  words: Readonly<Record<string, string>> = {},
): Fragment {
  const leaves = Object.entries(nodes).flatMap(([path, node]) => [...leavesOf(path, node)]);
  return html`<ul class="values">${leaves.map(([path, value]) => {
    const line = `^${path.replace(/[.*[\]^$\\]/g, '\\$&')}:`;
    const curl = `curl -s ${quoteForShell(`${base}/json?format=text`)} | grep ${quoteForShell(line)}`;
    const field = fields.get(path) ?? headerField(path);
    return renderRow({ field, value, word: words[path], more: command(curl, `the command for ${path}`) });
  })}</ul>`;
}

function* leavesOf(path: string, node: unknown): Generator<readonly [path: string, value: Row['value']]> {
  if (typeof node !== 'object' || node === null) yield [path, node as Row['value']];
  else for (const [name, child] of Object.entries(node)) yield* leavesOf(`${path}.${name}`, child);
}

/** Only headers are not in the schema: their name is the rest of the path. */
function headerField(path: string): Row['field'] {
  const name = path.slice(path.indexOf('.') + 1);
  return { path, label: name, description: headerMeaning(name), unit: '' };
}
