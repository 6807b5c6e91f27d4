/** Programs for `/docs` that print the client's IP address and country; test/http/page/documents/examples.test.ts runs them. */
import { html } from 'hono/html';
import { rates, windowSeconds } from '../../../core/limits.ts';
import { usagePolicy } from '../../usage-policy.ts';
import { command, type Fragment, quoteForShell } from '../fragment.ts';

export interface Example {
  readonly id: string;
  readonly title: string;
  /** Set if it was not run. */
  readonly isUntested?: true;
  readonly code: (base: string) => string;
}

export const examples: readonly Example[] = [
  {
    id: 'curl',
    title: 'curl',
    code: (base) => `curl -sf ${quoteForShell(`${base}/ip`)} ${quoteForShell(`${base}/country-code`)}`,
  },
  {
    id: 'fetch',
    title: 'fetch (browsers, Node.js, Deno, Bun)',
    code: (base) => `const response = await fetch('${base}/json');
if (response.status === 429) throw new Error(\`Try again in \${response.headers.get('Retry-After')} seconds\`);
const { ip, location } = await response.json();
console.log(ip);
console.log(location.country ?? '');`,
  },
  {
    id: 'python',
    title: 'Python',
    code: (base) => `import json
from urllib.request import urlopen

with urlopen('${base}/json', timeout=10) as response:
    info = json.load(response)
print(info['ip'])
print(info['location']['country'] or '')`,
  },
  {
    id: 'go',
    title: 'Go',
    code: (base) => `package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
)

func main() {
	response, err := http.Get("${base}/json")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		log.Fatal(response.Status)
	}
	var info struct {
		IP       string
		Location struct{ Country string }
	}
	if err := json.NewDecoder(response.Body).Decode(&info); err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.IP)
	fmt.Println(info.Location.Country)
}`,
  },
  {
    id: 'powershell',
    title: 'PowerShell',
    isUntested: true,
    code: (base) => `$info = Invoke-RestMethod '${base}/json'
$info.ip
$info.location.country`,
  },
];

/** Requests the country once per visit, as a page should. */
export const pageExample = (base: string): string => `let country = sessionStorage.getItem('country');
if (country === null) {
  const response = await fetch('${base}/country-code');
  country = response.ok ? (await response.text()).trim() : '';
  sessionStorage.setItem('country', country);
}`;

export const renderExamples = (base: string): Fragment =>
  html`<p>Each prints your IP address and country. A value that is not available is <code>null</code>, or an empty line as text.</p>
${examples.map(
  ({ id, title, isUntested, code }) => html`<h3 id="example-${id}">${title}</h3>
${isUntested ? html`<p>Written from the documentation of ${title}; not run.</p>` : ''}${renderCode(code(base), title)}`,
)}`;

const renderCode = (code: string, title: string): Fragment =>
  html`<div class="code">${command(code, `the ${title} example`)}</div>`;

/** Advice for sites that call the service. */
export const renderEmbedding = (base: string): Fragment =>
  html`<p>Yes: any page may, without a key (CORS allows every origin). Each request counts against the limits of your visitor's IP address,
${rates.general.perWindow} per ${windowSeconds} seconds, which visitors behind one address share. ${usagePolicy.pages}</p>
<p>Instead of requesting <code>/json</code> with every page view:</p>
<ul class="points">
<li>Use your own server: it already has the visitor's IP address, and with an IP database it needs no request.</li>
<li>Request only what you need, when you need it, and once per visit. For a country, that is two bytes:</li>
</ul>
${renderCode(pageExample(base), 'example for a page')}
<ul class="points">
<li>Treat the response as a hint: your page must work without it, because content blockers and limits may reject the request.</li>
<li>Mention it in your privacy notice: the visitor's browser sends its IP address to this service.</li>
</ul>`;
