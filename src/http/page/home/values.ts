/** Rows for the values of a resource, each with its JSON path, description and curl command. */
import { html } from 'hono/html';
import { Info } from '../../../resources/info.ts';
import { fieldsOf } from '../fields.ts';
import { command, type Fragment, quoteForShell, renderUntrusted, valueRow } from '../fragment.ts';
import { headerMeaning } from './header-meanings.ts';

const fields = fieldsOf(Info);

/** Characters of a value in its row; the open row shows the rest. */
const rowLength = 240;

/** One list; `nodes` by their JSON path. `words` are shown instead of a null value, by path. */
export function values(
  nodes: Readonly<Record<string, unknown>>,
  base: string,
  words: Readonly<Record<string, string>> = {},
): Fragment {
  const all = Object.entries(nodes).flatMap(([path, node]) => [...leaves(path, node)]);
  return html`<ul class="values">${all.map((leaf) => row(leaf, base, words[leaf.path]))}</ul>`;
}

interface Leaf {
  readonly path: string;
  readonly value: string | number | boolean | null;
}

function* leaves(path: string, node: unknown): Generator<Leaf> {
  if (typeof node !== 'object' || node === null) yield { path, value: node as Leaf['value'] };
  else for (const [name, child] of Object.entries(node)) yield* leaves(`${path}.${name}`, child);
}

function row({ path, value }: Leaf, base: string, word = 'not available'): Fragment {
  const name = headerName(path);
  const { label, description, unit } = fields.get(path) ?? { label: name, description: headerMeaning(name), unit: '' };
  const text = value === null ? '' : `${value}`;
  const isCut = text.length > rowLength;
  const shown =
    text === ''
      ? html`<span class="none">${value === null ? word : 'empty'}</span>`
      : html`${renderUntrusted(isCut ? text.slice(0, rowLength) : text)}${unit}${isCut ? html` <span class="none">… ${text.length} characters</span>` : ''}`;
  const more = html`${isCut ? html`<p class="full">${renderUntrusted(text)}</p>` : ''}<p>${description}</p>${command(commandFor(path, base), `the command for ${path}`)}`;
  return valueRow({ label, path, shown, more, isCopied: text !== '' });
}

/** Only headers are not in the schema: their name is the rest of the path. */
const headerName = (path: string): string => path.slice(path.indexOf('.') + 1);

const commandFor = (path: string, base: string): string =>
  `curl -s ${quoteForShell(`${base}/json?format=text`)} | grep ${quoteForShell(`^${path.replace(/[.*[\]^$\\]/g, '\\$&')}:`)}`;
