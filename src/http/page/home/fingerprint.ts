/** The fingerprints of the connection: hashes to copy, and the parsed bytes that they are computed from. */
import { html } from 'hono/html';
import { Fingerprint } from '../../../resources/fingerprint.ts';
import { fieldsOf } from '../fields.ts';
import { command, type Fragment, quoteForShell, renderUntrusted, valueRow } from '../fragment.ts';

const fields = fieldsOf(Fingerprint);

/** Whether it stays equal between connections of the same client, and why. */
const stability: readonly (readonly [path: string, isStable: boolean, reason: string])[] = [
  ['ja4', true, 'sorts cipher suites and extensions before it hashes them.'],
  ['ja3n.hash', true, 'sorts the extensions of JA3.'],
  ['akamai.hash', true, 'uses the first frames, which an HTTP/2 library sends the same each time.'],
  ['ja3.hash', false, 'uses the order of extensions, which Chromium shuffles for every connection.'],
];

export function fingerprintSection(fingerprint: Fingerprint, base: string): Fragment {
  return html`<section aria-labelledby="fingerprint">
<h2 id="fingerprint">Fingerprint</h2>
<p class="lead">Traits of the connection's opening (TLS, HTTP, TCP) that identify client software. Computed from this connection for this
page, then discarded.</p>
${command(`curl -s ${quoteForShell(`${base}/fingerprint`)}`, 'the command for the fingerprint')}
<div class="cards two">
<div class="card hashes"><h3>Hashes</h3>${hashes(fingerprint)}</div>
<div class="card"><h3>Stable or not, and why</h3><ul class="points">
${stability.map(([path, , reason]) => html`<li><b>${labelOf(path)}</b> ${reason}</li>`)}
<li>A resumed session adds the extension <code>pre_shared_key</code>, which changes JA3, JA3N and JA4, but not the middle part of JA4.</li>
<li>Both SHA-1 values under TLS include GREASE: random values that Chromium and Safari add to every ClientHello.</li>
</ul></div>
<div class="card"><h3>ClientHello</h3>${rows('tls', fingerprint.tls)}</div>
<div class="cards"><div class="card"><h3>HTTP</h3>${rows('http', fingerprint.http)}</div><div class="card"><h3>TCP</h3>${rows('tcp', fingerprint.tcp)}</div></div>
</div>
</section>`;
}

const labelOf = (path: string): string => fields.get(path)?.label ?? path;

function hashes(fingerprint: Fingerprint): Fragment {
  const { ja3, ja3n, ja4, akamai } = fingerprint;
  const codes: Readonly<Record<string, string | null>> = {
    ja4,
    'ja3n.hash': ja3n.hash,
    'akamai.hash': akamai.hash,
    'ja3.hash': ja3.hash,
  };
  if (Object.values(codes).every((code) => code === null)) {
    return html`<p>Not available: the connection is not encrypted, or an edge in front of this service terminates it.</p>`;
  }
  return html`${stability.map(([path, isStable]) => {
    const code = codes[path] ?? null;
    const label = html`<p>${labelOf(path)} <span class="chip plain">${isStable ? 'stable' : 'changes'}</span> <code class="path">${path}</code></p>`;
    return code === null
      ? html`${label}<p class="small">not available</p>`
      : html`${label}${command(code, labelOf(path))}`;
  })}`;
}

type Item = Readonly<Record<string, unknown>>;

function rows(path: string, members: Item): Fragment {
  return html`<ul class="values">${Object.entries(members).map(([name, value]) => row(`${path}.${name}`, value))}</ul>`;
}

function row(path: string, value: unknown): Fragment {
  const { label, description, unit } = fields.get(path) ?? { label: path, description: '', unit: '' };
  return valueRow({
    label,
    path,
    shown: value === null ? html`<span class="none">not available</span>` : shortValue(value, unit),
    more: html`<p>${description}</p>${Array.isArray(value) && value.length > 0 ? list(value) : ''}`,
    isCopied: ['string', 'number', 'boolean'].includes(typeof value),
  });
}

/** Longer lists show their length in the row. */
const maxItemsInRow = 4;

function shortValue(value: unknown, unit: string): Fragment {
  if (Array.isArray(value)) {
    const names = value.map(nameOf);
    const isShort = names.length > 0 && names.length <= maxItemsInRow && !names.includes(null);
    return isShort ? renderUntrusted(names.join(', ')) : html`${names.length}`;
  }
  return typeof value === 'object' ? item(value) : html`${renderUntrusted(`${value}`)}${unit}`;
}

const list = (values: readonly unknown[]): Fragment =>
  html`<ol>${values.map((each) => html`<li>${item(each)}</li>`)}</ol>`;

/** Null if the element has no name of its own, as a PRIORITY frame. */
function nameOf(element: unknown): string | null {
  if (typeof element === 'string') return element;
  const { id, name } = element as { readonly id?: number; readonly name?: string | null };
  return id === undefined ? null : `${name ?? id}`;
}

/** A name with its number, and the other members after it. */
function item(value: unknown): Fragment {
  if (typeof value !== 'object' || value === null) return renderUntrusted(`${value}`);
  const { id, name, ...others } = value as Item;
  const number = typeof id === 'number' ? `${name ?? 'no name'} (${id})` : '';
  const rest = Object.entries(others).map(([key, other]) =>
    typeof other === 'object' ? html` ${key} ${item(other)}` : html` ${key} ${renderUntrusted(`${other}`)}`,
  );
  return html`${number}${rest}`;
}
