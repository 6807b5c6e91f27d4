/** The guide for language models, in the shape of https://llmstxt.org. */
import { rates, windowSeconds } from '../core/limits.ts';
import type { Contact } from '../core/settings.ts';
import { mcpPath, serverInfo } from '../mcp/server-info.ts';
import type { Tool } from '../mcp/tool.ts';
import { type Endpoint, prints } from './endpoint.ts';
import { formatValues, mediaTypes } from './negotiate.ts';
import { addressOf, attribution, moreCalls, terms } from './terms.ts';

export function llmsTxt(
  endpoints: readonly Endpoint[],
  tools: readonly Pick<Tool, 'name' | 'title'>[],
  base: string,
  contact: Contact | null,
): string {
  const limits = Object.values(rates).map(({ perWindow, covers }) => `${perWindow} ${covers}`);
  const answering = endpoints.filter(({ rates }) => rates.length > 0);
  const documents = endpoints.filter((endpoint) => endpoint.rates.length === 0 && prints(endpoint));
  return `# ${serverInfo.title}

> ${serverInfo.description}

${bullets([
  ...Object.values(terms),
  `In ${windowSeconds} seconds one address may make ${limits.join(' and ')}; the operator may have set other numbers. Beyond that the answer is 429 with Retry-After.`,
  `${moreCalls} ${addressOf(contact)}.`,
  `An error is JSON with error, message and docs: ${base}/docs#errors`,
  `Location data: [${attribution.text}](${attribution.url}), ${attribution.licence}.`,
])}
## Endpoints

Where text stands beside json, add ?format=${formatValues.join(' or ?format=')}, or send an Accept header that prefers ${mediaTypes.text}: one "key: value" line for each field.

${bullets(answering.map((endpoint) => `${linked(endpoint, base)} ${example(endpoint, base)}`))}
## Tools

Model Context Protocol over Streamable HTTP at ${base}${mcpPath}, without sign-in and without sessions.

${bullets(tools.map(({ name, title }) => `[${name}](${base}${mcpPath}): ${title}`))}
## Documents

${bullets(documents.map((endpoint) => linked(endpoint, base)))}`;
}

function linked({ path, summary }: Endpoint, base: string): string {
  return `[${path}](${base}${path}): ${summary}`;
}

function example({ path, print, parameter }: Endpoint, base: string): string {
  const query = parameter === null ? '' : `?${parameter.name}=${parameter.example}`;
  return `(${Object.keys(print).join(', ')}) \`curl '${base}${path}${query}'\``;
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}\n`).join('');
}
