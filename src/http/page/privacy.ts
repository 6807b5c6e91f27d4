/** The page at `/privacy`. */
import { html } from 'hono/html';
import { layout } from './layout.ts';

export function privacyPage(): string {
  return layout(
    'Privacy',
    html`<p>Answers are built in memory from the request and forgotten. Addresses, headers and queries are never logged,
there is no database, and nothing is shared with anyone.</p>
<h2>What is remembered between calls</h2>
<ul>
<li>How many calls each address made in the last minute, to hold the limits: under a keyed hash whose random key lives
in the process alone, forgotten when the minute is over. The address itself is not stored.</li>
<li>How often each endpoint was called and with which status: numbers, without anything of the request.</li>
</ul>
<h2>Location</h2>
<p>Looked up in a database on the server; no request leaves it for that. It is an estimate that describes the access
network, may be wrong, and must not be the only signal for a security or fraud decision.</p>
<h2>Whose data this is</h2>
<p>The data describes the machine that sends the request. For an assistant in the cloud that is the provider's server,
not the person who asked.</p>
<p>The service is provided as is, with no promise that it is available.</p>`,
  );
}
