/** The page at `/privacy`. */
import { html } from 'hono/html';
import { terms } from '../terms.ts';
import { layout } from './layout.ts';

export function privacyPage(): string {
  return layout(
    'Privacy',
    html`<p>${terms.privacy}</p>
<h2>What is remembered between calls</h2>
<ul>
<li>How many calls each address made in the last minute, to hold the limits: under a keyed hash whose random key lives
in the process alone, forgotten when the minute is over. The address itself is not stored.</li>
<li>How often each endpoint was called and with which status: numbers, without anything of the request.</li>
<li>The registries' own public lists of who holds which registration data (IANA's bootstrap files).</li>
</ul>
<h2>What a lookup tells to others</h2>
<p>A lookup is a request that the service makes itself. It carries the service's address and name, and nothing of the
caller: no address, no header, no cookie.</p>
<ul>
<li>Registration data: IANA sees that its files are fetched; the registry sees the domain, address or number asked for.</li>
<li>DNS lookup: the resolver sees the name and the type asked for.</li>
<li>Header check: the name servers see the host name; the site, and every site it redirects to, sees a request for the
URL as given.</li>
</ul>
<h2>Location</h2>
<p>No request leaves the server for it. ${terms.estimate}</p>
<h2>Whose data this is</h2>
<p>${terms.machine}</p>
<p>${terms.asIs}</p>`,
  );
}
