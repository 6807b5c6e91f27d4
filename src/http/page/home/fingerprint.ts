/** The fingerprints of the connection: hashes to copy, and the parsed bytes that they are computed from. */
import { html } from 'hono/html';
import { Fingerprint } from '../../../resources/fingerprint.ts';
import { fieldsOf } from '../fields.ts';
import { card, command, type Fragment, quoteForShell, renderUntrusted } from '../fragment.ts';
import { type Row, renderRow } from './values.ts';

const fields = fieldsOf(Fingerprint);

interface Hash {
  readonly path: string;
  readonly code: string | null;
  /** Whether it stays equal between connections of the same client. */
  readonly isStable: boolean;
  readonly reason: string;
}

const hashesOf = ({ ja4, ja3n, akamai, ja3 }: Fingerprint): readonly Hash[] => [
  { path: 'ja4', code: ja4, isStable: true, reason: 'sorts cipher suites and extensions before it hashes them.' },
  { path: 'ja3n.hash', code: ja3n.hash, isStable: true, reason: 'sorts the extensions of JA3.' },
  {
    path: 'akamai.hash',
    code: akamai.hash,
    isStable: true,
    reason: 'uses the first HTTP/2 frames, the same each time.',
  },
  { path: 'ja3.hash', code: ja3.hash, isStable: false, reason: 'uses the order of extensions; Chromium shuffles it.' },
];

export function fingerprintCards(fingerprint: Fingerprint, base: string): Fragment {
  const hashes = hashesOf(fingerprint);
  const isMissing = hashes.every(({ code }) => code === null);
  const missing = html`<p>Not available: this page was loaded without HTTPS, or a proxy ended the encryption.</p>`;
  const { tls, http, tcp } = fingerprint;
  return html`<p class="lead">How your browser opens a connection (TLS, HTTP, TCP) identifies its software. Computed from this connection for this
page, then discarded.</p>
${command(`curl -s ${quoteForShell(`${base}/fingerprint`)}`, 'the command for the fingerprint')}
<div class="cards two">
<div class="card hashes"><h3>Hashes</h3>${isMissing ? missing : hashes.map(renderHash)}</div>
<div class="card"><h3>Which of these stay the same, and why</h3><ul class="points">
${hashes.map(({ path, reason }) => html`<li><b>${labelOf(path)}</b> ${reason}</li>`)}
<li>A resumed session adds the extension <code>pre_shared_key</code>, which changes JA3, JA3N and JA4, but not the middle part of JA4.</li>
<li>Both SHA-1 values under TLS include GREASE: random values that Chromium and Safari add to every ClientHello.</li>
</ul></div>
${card('ClientHello', memberRows('tls', tls))}
<div class="cards">${card('HTTP', memberRows('http', http))}${card('TCP', memberRows('tcp', tcp))}</div>
</div>`;
}

const labelOf = (path: string): string => fields.get(path)?.label ?? path;

const renderHash = ({ path, code, isStable }: Hash): Fragment =>
  html`<p>${labelOf(path)} <span class="chip plain">${isStable ? 'stable' : 'changes'}</span> <code class="path">${path}</code></p>${
    code === null ? html`<p class="small">not available</p>` : command(code, labelOf(path))
  }`;

type Members = Readonly<Record<string, unknown>>;

function memberRows(parent: string, members: Members): Fragment {
  return html`<ul class="values">${Object.entries(members).map(([name, value]) => {
    const path = `${parent}.${name}`;
    const field = fields.get(path) ?? { path, label: path, description: '', unit: '' };
    if (typeof value !== 'object' || value === null)
      return renderRow({ field, value: value as Row['value'], more: '' });
    const elements: readonly unknown[] = Array.isArray(value) ? value : [value];
    const list = html`<ol>${elements.map((element) => html`<li>${renderElement(element)}</li>`)}</ol>`;
    return renderRow({ field, value: summarize(value), more: elements.length === 0 ? '' : list });
  })}</ul>`;
}

/** Longer lists show their length in the row. */
const maxNamesInRow = 4;

/** The names of a list's elements, or its length; the names of an object's members, or all of it. */
function summarize(value: object): Fragment {
  const members = Object.values(value);
  if (!Array.isArray(value)) {
    const named = members.filter((member) => typeof member === 'object').map(elementName);
    return named.length === 0 ? renderElement(value) : renderUntrusted(named.join(', '));
  }
  const names = members.map(elementName);
  const isShort = names.length > 0 && names.length <= maxNamesInRow && !names.includes(null);
  return isShort ? renderUntrusted(names.join(', ')) : html`${names.length}`;
}

/** Null if the element has no name of its own, as a PRIORITY frame. */
function elementName(element: unknown): string | null {
  if (typeof element === 'string') return element;
  const { id, name } = Object(element) as { readonly id?: number; readonly name?: string | null };
  return id === undefined ? null : `${name ?? id}`;
}

/** A name with its number, and the other members after it, except for null; of a list, its elements. */
function renderElement(element: unknown): Fragment {
  if (Array.isArray(element))
    return html`${element.map((each, at) => html`${at === 0 ? '' : ', '}${renderElement(each)}`)}`;
  if (typeof element !== 'object' || element === null) return renderUntrusted(`${element}`);
  const { id, name, ...others } = element as Members;
  const number = typeof id === 'number' ? `${name ?? 'no name'} (${id})` : '';
  const members = Object.entries(others).filter(([, other]) => other !== null);
  return html`${number}${members.map(([key, other]) => html` ${key} ${renderElement(other)}`)}`;
}
