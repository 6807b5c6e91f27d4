/** The sections about the connection: encryption, HTTP version and round-trip times; fingerprints, and the bytes that they are made of. */

import type { RequestContext } from '../../../core/request-context.ts';
import { joinKnown } from '../../../core/text.ts';
import { Fingerprint } from '../../../resources/fingerprint.ts';
import type { Info } from '../../../resources/info.ts';
import { memoize } from '../../response.ts';
import { fieldsOf } from '../fields.ts';
import { command, fold, needsScript, quoteForShell, renderUntrusted, table } from '../fragment.ts';
import { type Fragment, html } from '../markup.ts';
import { layerBars } from './layer-bars.ts';
import { networkMembersOf } from './network-members.ts';
import { describeEncryption } from './request-summary.ts';
import {
  foldParts,
  foldValues,
  type Group,
  maxRows,
  partition,
  type Row,
  type RowField,
  renderMissing,
  type Value,
} from './values.ts';

export function connectionCard(info: Info, { tcp }: Pick<Fingerprint, 'tcp'>, context: RequestContext): Fragment {
  const { baseUrl: base, deployment, observed } = context;
  const { isSecure } = observed;
  const { tls, http, network, time, meta } = info;
  const measured = networkMembersOf(network, 'measurement');
  const ofService = networkMembersOf(network, 'service');
  // A proxy announces its own HTTP/3.
  const isDirect = Object.keys(info.edgeHeaders).length === 0;
  const mayChange = deployment.offersHttp3 === true && isSecure && isDirect && http.protocol === 'HTTP/2';
  const withoutAll = isSecure
    ? 'Behind a proxy, the TLS values are not visible here.'
    : 'Without HTTPS, there are no TLS values.';
  const groups: readonly Group[] = [
    { title: 'TLS', nodes: { tls }, without: 'Not visible here', withoutAll },
    { title: 'HTTP', nodes: { http }, without: 'Not sent, or not visible behind a proxy' },
    { title: 'Measurements', nodes: { network: measured }, without: 'Not measured on this connection' },
    { title: 'Time and service', nodes: { time, meta, network: ofService }, without: 'Not known' },
  ];
  const bars = layerBars(observed);
  return html`<div class="card"><dl class="figures">
${fact('Encryption', describeEncryption(info, isSecure))}
${fact('HTTP', mayChange ? 'HTTP/2; your next visit may use HTTP/3' : http.protocol)}
${fact('Cipher suite', tls.cipher)}
${fact('Compression', http.acceptEncoding)}
${fact('MTU and link', tcp.mtu === null ? null : joinKnown([`${tcp.mtu} bytes`, tcp.link]))}
</dl>
<div class="split${bars && ' in-columns'}">${bars}${liveRoundTrips}</div>
${foldValues('connection-values', groups, base)}</div>`;
}

const fact = (term: string, value: string | null): Fragment | null =>
  value === null ? null : html`<div><dt>${term}</dt><dd>${renderUntrusted(value)}</dd></div>`;

/** The browser script measures them. */
const liveRoundTrips = html`<div class="only-js round-trips"><h3>Live round-trip times</h3>
${needsScript}
<dl class="figures"><div><dt>Last</dt><dd data-figure="last">&ndash;</dd></div><div><dt>Min</dt><dd data-figure="min">&ndash;</dd></div>
<div><dt>Median</dt><dd data-figure="median">&ndash;</dd></div></dl>
<svg class="plot" role="img" aria-label="Round-trip times measured by this page"></svg>
<p class="small"><span class="state"></span> <button type="button" class="copy quiet again" hidden>Measure again</button></p>
</div>`;

/** The resource of all values has members of the same names. */
const fields: ReadonlyMap<string, RowField> = new Map(
  [...fieldsOf(Fingerprint)].map(([path, field]) => [path, { ...field, id: `fingerprint.${path}` }]),
);

interface Hash {
  readonly path: string;
  readonly codeOf: (fingerprint: Fingerprint) => string | null;
  /** Set if the hash differs between connections of the same client. */
  readonly look?: string;
  readonly reason: string;
}

const hashesWith = (...ofHttp: readonly Hash[]): readonly Hash[] => [
  { path: 'ja4', codeOf: ({ ja4 }) => ja4, reason: 'sorts cipher suites and extensions before it hashes them.' },
  { path: 'ja3n.hash', codeOf: ({ ja3n }) => ja3n.hash, reason: 'sorts the extensions of JA3.' },
  ...ofHttp,
  {
    path: 'ja3.hash',
    codeOf: ({ ja3 }) => ja3.hash,
    look: 'changes',
    reason: 'uses the order of extensions; Chromium shuffles it.',
  },
];

const hashes = {
  http1: hashesWith(),
  http2: hashesWith({
    path: 'akamai.hash',
    codeOf: ({ akamai }) => akamai.hash,
    reason: 'uses the first HTTP/2 frames, the same each time.',
  }),
  http3: hashesWith({
    path: 'h3.hash',
    codeOf: ({ h3 }) => h3.hash,
    reason: 'uses the first HTTP/3 frames, without random values.',
  }),
};

function hashesOf({ http: { version } }: Fingerprint): readonly Hash[] {
  if (version === 'HTTP/3') return hashes.http3;
  return version?.startsWith('HTTP/1') ? hashes.http1 : hashes.http2;
}

const foldReasons = memoize((each: readonly Hash[]) =>
  fold(
    'stable-hashes',
    'Which of these stay the same, and why',
    html`<ul class="points">
${each.map(({ path, reason }) => html`<li><b>${labelOf(path)}</b> ${reason}</li>`)}
<li>A resumed session adds the extension <code>pre_shared_key</code>, which changes JA3, JA3N and JA4, but not the middle part of JA4.</li>
<li>Both SHA-1 values under TLS include GREASE: random values that Chromium and Safari add to every ClientHello.</li>
</ul>`,
  ),
);

export function fingerprintCard(fingerprint: Fingerprint, isSecure: boolean, base: string): Fragment {
  const all = hashesOf(fingerprint);
  const [known, missing] = partition(all, ({ codeOf }) => codeOf(fingerprint) !== null);
  const hidden = isSecure
    ? 'A proxy ended the encryption, so these values are not visible here'
    : 'This page was loaded without HTTPS, so there are no TLS values';
  const labels = missing.map(({ path }) => labelOf(path));
  return html`<p class="lead">How your browser opens a connection (TLS, HTTP, TCP or QUIC) identifies its software. Computed from this connection for this
page, then discarded.</p>
<div class="card">${known.length > 0 && html`<div class="hashes${known.length > 1 && ' in-columns'}">${known.map((hash) => renderHash(hash, fingerprint))}</div>`}
${renderMissing(labels, fingerprint.ja4 === null ? hidden : 'Not observed on this connection')}
${foldReasons(all)}
${foldBytes(fingerprint, hidden, base)}</div>`;
}

const labelOf = (path: string): string => fields.get(path)?.label ?? path;

const renderHash = ({ path, codeOf, look = 'stable' }: Hash, fingerprint: Fingerprint): Fragment =>
  html`<div><p>${labelOf(path)} <span class="chip plain">${look}</span> <code class="path">${path}</code></p>${command(codeOf(fingerprint) ?? '', labelOf(path))}</div>`;

/** The parsed bytes of the connection: what is missing is one sentence for each part. */
function foldBytes({ tls, quic, http, tcp, roundTrip }: Fingerprint, hidden: string, base: string): Fragment | false {
  const parts = Object.entries({ tls, ...(quic.version !== null && { quic }), http, tcp, roundTrip }).map(
    ([parent, members]) => {
      const [missing, known] = partition(Object.entries(members), ([, value]) => value === null);
      const rows = known.map(([name, value]) => rowOf(`${parent}.${name}`, value));
      const labels = missing.map(([name]) => labelOf(`${parent}.${name}`));
      const without =
        reasons[parent] ?? (known.length > 0 ? 'Not sent' : parent === 'tcp' ? 'Not visible here' : hidden);
      return { title: titles[parent], rows, missing: renderMissing(labels, without) };
    },
  );
  if (parts.every(({ rows }) => rows.length === 0)) return false;
  const curl = `curl -s ${quoteForShell(`${base}/fingerprint`)}`;
  return foldParts('fingerprint-values', parts, command(curl, 'the command for the fingerprint'));
}

const titles: Readonly<Record<string, string>> = {
  tls: 'ClientHello',
  quic: 'QUIC',
  http: 'HTTP',
  tcp: 'TCP',
  roundTrip: 'Round trips',
};
/** Reasons for missing values that clients do not send. */
const reasons: Readonly<Record<string, string>> = { roundTrip: 'Not measured on this connection' };

function rowOf(path: string, value: unknown): Row {
  const field = fields.get(path) ?? { path, label: path, description: '', unit: '', id: `fingerprint.${path}` };
  if (!isMembers(value)) return { field, value: value as Value, more: '' };
  return { field, value: summarize(value), more: renderMembers(value) };
}

/** Longer lists show their length in the row. */
const maxNamesInRow = 4;

/** The elements of a short list, or the length of a longer one; the names of an object's members. */
function summarize(value: object): Fragment {
  if (!Array.isArray(value)) {
    const named = Object.values(value).filter(isMembers).map(describe);
    return renderUntrusted(named.join(', ') || describe(value));
  }
  if (value.length === 0) return html`0`;
  // Print shows the names instead.
  if (value.length > maxNamesInRow) return html`<span class="count">${value.length}</span>`;
  return renderUntrusted(value.map(describe).join(', '));
}

type Members = Readonly<Record<string, unknown>>;

/** A name, or its number if it has none, with its value if it has one; other members with their names. */
function describe(element: unknown): string {
  if (!isMembers(element)) return `${element}`;
  const { id, name = id, value } = element;
  if (name === undefined) return describeMembers(element);
  return `${name ?? id}${value === undefined ? '' : ` ${value}`}`;
}

/** The elements of a list in their order, or the members of an object: as a table if they have parts. */
function renderMembers(value: object): Fragment {
  const all: readonly unknown[] = Array.isArray(value)
    ? value
    : Object.entries(value).map(([name, member]) => ({ name, value: member }));
  const elements = all.slice(0, maxRows).map(nameMembers);
  const left = all.length > maxRows && html`<p class="small">and ${all.length - maxRows} more</p>`;
  const parts = elements.flatMap((element) => (isMembers(element) ? Object.entries(element) : []));
  const headings = [...new Set(parts.filter(([name, part]) => name !== 'id' && part !== null).map(([name]) => name))];
  if (headings.length < 2)
    return html`<ol class="names">${elements.map((element) => html`<li>${renderUntrusted(describeFully(element))}</li>`)}</ol>${left}`;
  const cell = (element: unknown, heading: string): Fragment | string => {
    const { id, [heading]: part } = element as Members;
    if (part === null || part === undefined) return heading === 'name' && id !== undefined ? `no name (${id})` : '';
    return renderUntrusted(heading === 'name' ? describeFully({ id, name: part }) : describeFully(part));
  };
  const rows = elements.map((element) => headings.map((heading) => cell(element, heading)));
  return html`${table(headings, rows)}${left}`;
}

/** A pair is a name with its value. */
const nameMembers = (element: unknown): unknown =>
  Array.isArray(element) && element.length === 2 ? { name: element[0], value: element[1] } : element;

const isMembers = (element: unknown): element is Members => typeof element === 'object' && element !== null;

/** A name with its number, and the other members after it, except for null; of a list, its elements. */
function describeFully(element: unknown): string {
  if (Array.isArray(element)) return element.map(describeFully).join(', ');
  if (!isMembers(element)) return `${element}`;
  const { id, name, ...others } = element;
  const named = id === undefined ? (name ?? '') : `${name ?? 'no name'} (${id})`;
  return `${named} ${describeMembers(others)}`.trim();
}

const describeMembers = (members: Members): string =>
  Object.entries(members)
    .filter(([, member]) => member !== null)
    .map(([key, member]) => `${key} ${describeFully(member)}`)
    .join(', ');
