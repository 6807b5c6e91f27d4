/** The section about the connection: encryption, HTTP version, round-trip times, and all their values. */
import { html } from 'hono/html';
import type { Site } from '../../../core/request-context.ts';
import type { Info } from '../../../resources/info.ts';
import { type Fragment, renderUntrusted } from '../fragment.ts';
import { foldValues, type Group } from './values.ts';

export function connectionCard(info: Info, isSecure: boolean, { baseUrl: base, deployment }: Site): Fragment {
  const { tls, http, network, time, meta } = info;
  const { asn: _, asOrganization: __, ...measured } = network;
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
    { title: 'Time and service', nodes: { time, meta }, without: 'Not known' },
  ];
  return html`<div class="card"><dl class="figures">
${fact('Encryption', describeEncryption(info, isSecure))}
${fact('HTTP', mayChange ? 'HTTP/2; your next visit may use HTTP/3' : http.protocol)}
${fact('Cipher suite', tls.cipher)}
${fact('Compression', http.acceptEncoding)}
</dl>
${roundTrips(info)}
${foldValues('connection-values', groups, base)}</div>`;
}

const fact = (term: string, value: string | null): Fragment | null =>
  value === null ? null : html`<div><dt>${term}</dt><dd>${renderUntrusted(value)}</dd></div>`;

export function describeEncryption({ tls: { version } }: Info, isSecure: boolean): string {
  if (version === null && !isSecure) return 'No, plain HTTP: others can read this in transit';
  return version === null ? 'Yes, HTTPS' : `Yes, with ${version.replace('TLSv', 'TLS ')}`;
}

/** Live round-trip times; the browser script measures them. */
function roundTrips({ network: { clientQuicRttMs, clientTcpRttMs } }: Info): Fragment {
  const rttMs = clientQuicRttMs ?? clientTcpRttMs;
  return html`<div class="only-js round-trips"><h3>Live round-trip times</h3>
<dl class="figures"><div><dt>Last</dt><dd data-figure="last">–</dd></div><div><dt>Min</dt><dd data-figure="min">–</dd></div>
<div><dt>Median</dt><dd data-figure="median">–</dd></div>${rttMs && html`<div><dt>Measured by the server</dt><dd>${rttMs} ms</dd></div>`}</dl>
<svg class="plot" role="img" aria-label="Round-trip times measured by this page"></svg>
<p class="small"><span class="state"></span> <button type="button" class="copy quiet again" hidden>Measure again</button></p>
</div>`;
}
