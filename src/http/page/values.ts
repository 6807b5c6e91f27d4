/** Values of the request, each with its path in the JSON and the command that prints it. */
import { html } from 'hono/html';
import { Info } from '../../resources/info.ts';
import { fieldsOf } from './fields.ts';
import { command, type Fragment, quoted, shown } from './fragment.ts';

/** Where the name of the field, taken apart, is not what people say. */
const labels: Readonly<Record<string, string>> = {
  ip: 'IP address',
  ipVersion: 'IP version',
  'location.country': 'Country code',
  'location.countryName': 'Country',
  'location.isEU': 'In the European Union',
  'location.timezone': 'Time zone',
  'network.asn': 'AS number',
  'network.asOrganization': 'Held by',
  'network.colo': 'Edge data center',
  'network.clientTcpRttMs': 'Round trip, TCP',
  'network.clientQuicRttMs': 'Round trip, QUIC',
  'network.deliveryRateBps': 'Delivery rate',
  'tls.clientHelloLength': 'ClientHello',
  'tls.clientCiphersSha1': 'Cipher suites, SHA-1',
  'tls.clientExtensionsSha1': 'Extensions, SHA-1',
  'userAgent.raw': 'User-Agent',
  'userAgent.os.name': 'System name',
  'userAgent.os.version': 'System version',
  'userAgent.cpu.architecture': 'CPU architecture',
  'userAgent.bot': 'Bot',
  'time.server': 'Time of the server',
  'time.serverMs': 'The same, in ms',
};

/** Of the values that are bare numbers. */
const units: Readonly<Record<string, string>> = {
  'network.clientTcpRttMs': ' ms',
  'network.clientQuicRttMs': ' ms',
  'network.deliveryRateBps': ' bytes/s',
  'tls.clientHelloLength': ' bytes',
  'location.latitude': '°',
  'location.longitude': '°',
};

const descriptions = new Map(fieldsOf(Info).map(({ path, description }) => [path, description]));

/** More is cut in the row, and whole when it is opened. */
const rowLength = 240;

/** `path` is that of `node` in the JSON. */
export function values(path: string, node: unknown, base: string): Fragment {
  return html`<ul class="values">${[...rows(path, node)].map((row) => listed(row, base))}</ul>`;
}

interface Row {
  readonly path: string;
  readonly value: string | number | boolean | null;
}

function* rows(path: string, node: unknown): Generator<Row> {
  if (typeof node !== 'object' || node === null) yield { path, value: node as Row['value'] };
  else for (const [name, child] of Object.entries(node)) yield* rows(`${path}.${name}`, child);
}

function listed({ path, value }: Row, base: string): Fragment {
  const text = value === null || value === '' ? '' : `${value}${units[path] ?? ''}`;
  const isCut = text.length > rowLength;
  const description = descriptions.get(path) ?? '';
  return html`<li><details><summary><span class="label">${labelOf(path)}<code class="path">${path}</code></span><span class="value">${
    text === ''
      ? html`<span class="none">${value === null ? 'not seen' : 'empty'}</span>`
      : html`${shown(isCut ? text.slice(0, rowLength) : text)}${isCut ? html` <span class="none">… ${text.length} characters</span>` : ''}`
  }</span></summary><div class="more">${isCut ? html`<p class="full">${shown(text)}</p>` : ''}${
    description === '' ? '' : html`<p>${description}</p>`
  }${command(commandFor(path, base), `the command for ${path}`)}</div></details></li>`;
}

/** A name of a header stands for itself. */
function labelOf(path: string): string {
  const header = /^(?:edgeH|h)eaders\.(.*)$/s.exec(path)?.[1];
  if (header !== undefined) return header;
  const [, ...rest] = path.split('.');
  const words = (rest.length === 0 ? path : rest.join(' ')).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return labels[path] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

const commandFor = (path: string, base: string): string =>
  `curl -s ${quoted(`${base}/json?format=text`)} | grep ${quoted(`^${path.replace(/[.*[\]^$\\]/g, '\\$&')}:`)}`;
