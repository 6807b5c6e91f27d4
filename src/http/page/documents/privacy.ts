/** The page at `/privacy`. */

import { windowSeconds } from '../../../core/limits.ts';
import { maxWaitMs } from '../../../core/name-server.ts';
import type { Deployment, Site } from '../../../core/request-context.ts';
import { outboundUserAgent } from '../../../lookups/outbound.ts';
import { nameCount } from '../../../probes/resolvers.ts';
import { attributionsOf, usagePolicy } from '../../usage-policy.ts';
import { table } from '../fragment.ts';
import { layout } from '../layout.ts';
import { partsOf } from '../lookup/report.ts';
import { type Fragment, html } from '../markup.ts';

const storedCount =
  "It is also stored in a server of the operator's, in which several instances of the service count together: for the same time, under a hash whose key changes every day and is not stored there.";

const resolver = "The operator's DNS-over-HTTPS resolver";

const disclosures = table(
  ['Lookup', 'Recipient', 'Receives'],
  [
    ['Registration data', 'IANA', 'a request for its public lists, without your query'],
    ['Registration data', 'The registry', 'the domain name, IP address or AS number'],
    ['Registration data', 'Name servers', "the registry's host name"],
    ['Header check', 'Name servers', 'the host names of the site and of its redirect targets'],
    ['Header check', 'The site and its redirect targets', 'a GET request for the URL'],
    ['Certificate', 'Name servers', 'the host name'],
    ['Certificate', 'Each address of the host', 'a TLS handshake with the host name, without any request'],
    ['Certificate', resolver, 'the host name and the names above it, for CAA records'],
    [
      'DNS records',
      resolver,
      'the name and record type, which it sends to the authoritative name servers; for a report, also the names above it',
    ],
    [
      'Host name (/host, /api/ip)',
      resolver,
      'the IP address, which for /host is yours, and the host names found for it',
    ],
    ['Port check (/api/port)', 'Your own IP address', 'a TCP connection without content, to the port that you name'],
  ],
);

const passedOn =
  'A query that reaches another instance of the service is passed on, encrypted, by the server in which the instances count together. ';

/** The test of the start page, if the deployment has one. */
function describeTests({ probes }: Deployment): Fragment {
  const dns = html`<li>The test of DNS runs only when you press its button. Your browser then resolves ${nameCount} names below
<code>${probes?.dns?.zone}</code>, and, if it ignores hints to do so, ${nameCount} more by requests without content. The DNS server of the service observes
the IP address of your resolver and the contents of its queries, sometimes with a part of your IP address. Only your own request, which waits
for these values, returns them to you; then they are discarded. All other queries are answered and discarded. Your resolver, and the resolvers
that it queries, see the names, which are random.</li>\n`;
  const stun = html`<li>The test of WebRTC runs only when you press its button. Your browser then sends STUN requests over UDP to
<code>${probes?.stun?.host}</code>, which returns the IP address and port of the sender and stores neither; it only counts the responses to an address
in each second. The test opens no other connection.</li>\n`;
  return html`${probes?.dns && dns}${probes?.stun && stun}`;
}

export function privacyPage(site: Site): string {
  const description = 'How requests are processed, what is kept in memory, and what lookups disclose.';
  const sources = attributionsOf(site.deployment).map(
    ({ text, url, license }, n) => html`${n > 0 && '; '}<a href="${url}">${text}</a>, ${license}`,
  );
  return layout(
    { path: '/privacy', title: 'Privacy · Seenby', description, site },
    html`<article class="document">
<h1>Privacy</h1>
<p class="lead">${usagePolicy.privacy} ${usagePolicy.sharing}</p>
<h2>What stays in memory between requests</h2>
<ul class="points">
<li>The number of requests per IP address in a window of ${windowSeconds} seconds that begins with its first request, to enforce the limits. It is
stored under a keyed hash, not under the address, and deleted after the window. ${site.deployment.sharesLimits ? storedCount : 'The random key exists only in the process.'}
On Cloudflare Workers, it is stored in Cloudflare's rate limiter, under a hash of the address and the deployment's id.</li>
<li>If the service has a DNS or STUN server: the number of responses per network or IP address in a second, which is deleted after that second.</li>
<li>The number of requests per endpoint and status, without any request data.</li>
<li>IANA's public lists of registration data servers (bootstrap files).</li>
</ul>
<p>While a connection is open, its IP address, location, TLS ClientHello and HTTP/2 settings are kept in memory. Fingerprints
are computed from them when you request them, and discarded. None of this is written to disk.
The service's log contains starts, stops and failures, and no request data.</p>
<h2>What the pages do</h2>
<ul class="points">
<li>They load nothing from other services and set no cookies.</li>
<li>What a lookup showed stays in the session storage of its tab, so that Back and Forward show it again without a lookup. It is deleted when
you close the tab; until then, a browser may write a tab's storage to disk. Results about the address that your request came from are left out.</li>
<li>The start page requests <code>/ip</code> to measure round-trip times while its chart is visible; the chart states how often. Over HTTP/2, it
requests <code>/round-trips</code> once, for which the service sends your browser a PING.</li>
<li>If the operator has set hosts for one IP version, the start page requests <code>/geo</code> from them to show your other address.</li>
${describeTests(site.deployment)}<li>A lookup is sent only when you press its button, follow a link in a result or open the URL of a lookup yourself. A domain report is ${partsOf(site.deployment).length} lookups.
A link on another site only fills in the form.</li>
<li>The page of a lookup has the query in its URL, so that you can bookmark it; your browser history then contains it, too. A result that
the start page shows below its form does not change the URL.</li>
<li>Over HTTPS, they request more Client Hints from Chromium-based browsers (<code>Accept-CH</code>), to identify version, OS and device.</li>
</ul>
<h2>What lookups disclose</h2>
<p>A lookup is a request that the service itself sends. It carries the service's IP address, its name and the URL of its documentation
(<code>User-Agent: ${outboundUserAgent(null)}</code>), and nothing about you: no IP address, header or cookie. The only exception is
<code>/host</code>, which looks up the host name of your IP address. The query itself can still reveal your interest; each of these
servers keeps its own records:</p>
${disclosures}
<p>On Cloudflare Workers, Cloudflare may add your IP address to these requests (<code>CF-Connecting-IP</code>). The operator can prevent
this in the zone's settings; the Worker cannot.</p>
<p>Everything else, including your location, is computed on the server without contacting other servers.</p>
<h2>What the test of DNS resolvers shows</h2>
<p>While a request to <code>/api/resolver</code> waits, at most ${maxWaitMs / 1000} seconds, the service's own DNS server passes on the queries with
the request's random id: the addresses of your resolvers and the contents of their queries. The response contains these values, and nothing is
stored. ${site.deployment.sharesLimits ? passedOn : ''}A DNS query for which no request waits is answered and discarded; its name is neither logged nor counted. Resolvers keep their own
records of the names.</p>
<h2>Location</h2>
<p>${usagePolicy.estimate}${sources.length > 0 && html` Data: ${sources}, unless the operator chose other databases.`}</p>
<h2>Who the data describes</h2>
<p>${usagePolicy.machine}</p>
<p>${usagePolicy.asIs}</p>
<p>This page describes only the service. Its operator may keep records elsewhere, for example at a proxy or hosting provider.</p>
</article>`,
    'text',
  );
}
