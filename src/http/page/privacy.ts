/** The page at `/privacy`. */
import { html } from 'hono/html';
import { windowSeconds } from '../../core/limits.ts';
import { outboundUserAgent } from '../../lookups/outbound-user-agent.ts';
import { attribution, terms } from '../terms.ts';
import { table } from './fragment.ts';
import { layout } from './layout.ts';

export function privacyPage(): string {
  return layout(
    {
      path: '/privacy',
      title: 'Privacy · Seenby',
      description: 'What is done with a request, what is remembered, and what a lookup tells to whom.',
    },
    html`<article class="document">
<h1>Privacy</h1>
<p class="lead">${terms.privacy}</p>
<h2>What is remembered between calls</h2>
<ul class="points">
<li>How many calls each address made in the last ${windowSeconds} seconds, to hold the limits: under a keyed hash whose random key
lives in the process alone, forgotten when the time is over. The address itself is not stored. (On Cloudflare Workers: under a hash
of the address and the deployment's own id, in Cloudflare's limiter.)</li>
<li>How often each endpoint was called and with which status: numbers, without anything of the request.</li>
<li>The registries' own public lists of who holds which registration data (IANA's bootstrap files).</li>
</ul>
<p>Besides, while a connection is open, what was seen of it: its address, place and TLS greeting. Nothing of all this is written to
a disk. The service's own log has starts, stops and failures, and nothing of a request.</p>
<h2>What this page does</h2>
<ul class="points">
<li>It loads nothing from anyone else, sets no cookie and stores nothing in your browser.</li>
<li>On the front page a script calls <code>/ip</code> every few seconds while the plot of round trips is on your screen, at most
20 times, and the lookups when you ask for one. The lookup that you asked for stands in the address of the page, so that you can
keep it as a link, and therefore in your browser's history.</li>
<li>It asks Chromium browsers for further Client Hints (<code>Accept-CH</code>) over HTTPS, to tell version, system and device.</li>
</ul>
<h2>What a lookup tells to others</h2>
<p>A lookup is a request that the service makes itself. It carries the service's address and its name
(<code>${outboundUserAgent(null)}</code> and the address of the documentation), and nothing of the caller: no address, no header,
no cookie. What you ask about can still say something about you; each of these keeps its own records.</p>
${table(
  ['Lookup', 'Who', 'Sees'],
  [
    ['Registration data', 'IANA', 'that its lists are fetched, not what for'],
    ['Registration data', 'The registry', 'the domain, address or number asked for'],
    ['Registration data', 'Name servers', 'the host name of the registry'],
    ['Header check', 'Name servers', 'the host name of the site, and of those it redirects to'],
    ['Header check', 'The site', 'a GET request for the URL as given, and so does every site it redirects to'],
    [
      'DNS records (a tool)',
      'The DNS over HTTPS resolver that the operator chose',
      'the name and the type; it asks the name servers in charge',
    ],
  ],
)}
<p>Where the service runs on Cloudflare Workers, Cloudflare may add the caller's address to these requests
(<code>CF-Connecting-IP</code>), which a Worker cannot prevent and the operator's zone can.</p>
<p>Everything else, the location included, is worked out on the server, and nobody is asked.</p>
<h2>Location</h2>
<p>${terms.estimate} The data is <a href="${attribution.url}">${attribution.text}</a>, ${attribution.licence}, unless the operator
chose another database.</p>
<h2>Whose data this is</h2>
<p>${terms.machine}</p>
<p>${terms.asIs}</p>
<p>Who runs this service may keep records in front of it, such as at a proxy or a host; this page speaks of the service alone.</p>
</article>`,
  );
}
