/** Documentation of the fingerprints: definition, computation, comparison with other tools. */
import { html } from 'hono/html';
import { type Fragment, table } from '../fragment.ts';

const akamaiPaper =
  'https://blackhat.com/docs/eu-17/materials/eu-17-Shuster-Passive-Fingerprinting-Of-HTTP2-Clients-wp.pdf';

const definitions = table(
  ['Value', 'Defined by', 'Computed from', 'Equal between connections'],
  [
    [
      html`<code>ja3</code>`,
      html`<a href="https://github.com/salesforce/ja3">Salesforce, 2017</a>`,
      'MD5 of legacy version, cipher suites, extensions, groups and point formats in the order sent, without GREASE',
      'No for Chromium, which shuffles extensions',
    ],
    [
      html`<code>ja3n</code>`,
      'Common practice; no specification',
      'JA3 with the extensions sorted by number',
      'Yes, unless a session is resumed',
    ],
    [
      html`<code>ja4</code>`,
      html`<a href="https://github.com/FoxIO-LLC/ja4/blob/main/technical_details/JA4.md">FoxIO, 2023</a>`,
      'Protocol (t: TCP, q: QUIC), version, SNI, counts and ALPN; SHA-256 of the sorted cipher suites; SHA-256 of the sorted extensions and the signature algorithms',
      'Yes, unless a session is resumed; the middle part always',
    ],
    [
      html`<code>ja4_r</code>, <code>ja4_o</code>, <code>ja4_ro</code>`,
      'FoxIO, 2023',
      'JA4 with lists in place of hashes (r), in the order sent (o), or both',
      'ja4_r: like ja4; ja4_o and ja4_ro: like ja3',
    ],
    [
      html`<code>akamai</code>`,
      html`<a href="${akamaiPaper}">Akamai, 2017</a>`,
      'MD5 of SETTINGS, the first WINDOW_UPDATE, PRIORITY frames and the order of pseudo-headers',
      'Yes',
    ],
    [
      html`<code>h3</code>`,
      'Other fingerprint services',
      'MD5 of the HTTP/3 SETTINGS, further frames of the control stream and the order of pseudo-headers, with GREASE in place of reserved ones',
      'Yes',
    ],
    [
      html`<code>tls</code>, <code>quic</code>, <code>http</code>, <code>tcp</code>`,
      'IETF and IANA',
      'ClientHello, QUIC transport parameters, HTTP/2 and HTTP/3 frames, headers and the first TCP packet, not hashed',
      'Yes, except key shares, GREASE and shuffled extensions',
    ],
  ],
);

export const fingerprintGuide: Fragment = html`${definitions}
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
