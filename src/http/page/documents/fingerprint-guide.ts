/** Documentation of the fingerprints: definition, computation, comparison with other tools. */

import { fingerprints } from '../data/fingerprints.ts';
import { table } from '../fragment.ts';
import { type Fragment, html } from '../markup.ts';

const headings = ['Value', 'Defined by', 'Computed from', 'Equal between connections'];

const rows = fingerprints.map(({ names, definedBy, url, computedFrom, isEqual }) => [
  html`${names.map((name, n) => html`${n > 0 && ', '}<code>${name}</code>`)}`,
  url === undefined ? definedBy : html`<a href="${url}">${definedBy}</a>`,
  computedFrom,
  isEqual,
]);

export const fingerprintGuide: Fragment = html`${table(headings, rows)}
<p><code>/fingerprint</code> is computed from the bytes of your connection when you request it, and discarded. Only the first
ClientHello is used, even if the server requests a second one. Of the JA4+ family only JA4 is computed, because the others have a non-commercial license.</p>
<ul class="points">
<li>Values that the edge cannot observe are <code>null</code>: behind a proxy that terminates TLS, all except those that the proxy forwards. A proxy
that passes TLS through and sends the PROXY protocol hides only the TCP packet.</li>
<li>Compare with tls.peet.ws: request both with the same client. JA3 of Chromium differs between any two connections; JA4 can differ there,
because that service uses the negotiated version, always writes <code>d</code> for SNI and omits the extension padding.</li>
<li>Compare with Wireshark: capture the connection and read <code>tls.handshake.ja3</code> and <code>tls.handshake.ja4</code> of its Client Hello.</li>
<li>If an ALPN value has bytes other than letters and digits, JA4 is computed as its specification states; FoxIO's programs print 99.</li>
</ul>`;
