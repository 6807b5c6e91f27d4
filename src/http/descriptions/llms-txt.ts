/** The guide for language models at `/llms.txt`, in the format of https://llmstxt.org: after the first H2, only lists of links. */
import { describeLimits, hasLimits } from '../../core/limits.ts';
import type { Site } from '../../core/request-context.ts';
import { isOfferedBy } from '../../lookups/lookup.ts';
import { documentationUrl, listFormat, mcpPath, serverInfo } from '../../mcp/server-info.ts';
import type { Tool } from '../../mcp/tool.ts';
import { isOfDialects } from '../dialect-lists.ts';
import { type Endpoint, exampleOf, formatsOf } from '../endpoint.ts';
import { formatValues, mediaTypes } from '../negotiate.ts';
import { attributionsOf, describeMoreRequests, usagePolicy } from '../usage-policy.ts';

export function llmsTxt(endpoints: readonly Endpoint[], tools: readonly Tool[], { baseUrl, deployment }: Site): string {
  const limited = endpoints.filter(
    ({ kind, rates, isOffered, lookup }) =>
      !describedElsewhere.includes(kind) &&
      rates.length > 0 &&
      isOffered?.(deployment) !== false &&
      (lookup === undefined || isOfferedBy(lookup, deployment)),
  );
  const documents = endpoints.filter(isDocument);
  const attributions = attributionsOf(deployment).map(({ text, url, license }) => `${text} (${url}), ${license}.`);
  return `# ${serverInfo.title}

> ${serverInfo.description}

${bullets([
  ...Object.values(usagePolicy),
  describeLimits(deployment),
  ...(hasLimits(deployment) ? [describeMoreRequests(deployment)] : []),
  `Errors are JSON with error, message and docs, listed at ${baseUrl}/docs#errors.`,
  ...describeFormats(limited),
  `The MCP server (Streamable HTTP, no authentication, no sessions) is at ${baseUrl}${mcpPath}.`,
  ...(attributions.length > 0 ? [`Location data: ${attributions.join(' ')}`] : []),
])}
## Endpoints

${bullets(limited.map((endpoint) => `${link(endpoint.path, baseUrl + exampleOf(endpoint))}: ${endpoint.summary} (${formatsOf(endpoint).join(', ')})`))}
## MCP tools

${bullets(tools.map(({ name, title }) => `${link(name, documentationUrl(baseUrl))}: ${title}`))}
## Documents

${bullets(documents.map((endpoint) => `${link(endpoint.path, baseUrl + endpoint.path)}: ${endpoint.summary}`))}`;
}

/** A sentence for each format that is not the default of some endpoints: what they return in it. */
const describeFormats = (endpoints: readonly Endpoint[]): readonly string[] =>
  formatValues.map((format) => {
    const others = endpoints.filter((each) => each.otherFormat !== undefined && formatsOf(each)[1] === format);
    const clauses = [...Map.groupBy(others, ({ otherFormat }) => otherFormat)].map(([content, each]) => {
      const paths = listFormat.format(each.map(({ path }) => path));
      return `${paths} return${each.length === 1 ? 's' : ''} ${content}`;
    });
    return `As ${format} (?format=${format} or Accept: ${mediaTypes[format]}), ${clauses.join('; ')}.`;
  });

/** Pages of lookups are for people, dialects for clients of other services, and the MCP server has a line and a list of its own. */
const describedElsewhere: readonly Endpoint['kind'][] = ['page', 'dialect', 'mcp'];

/** Whether it is a text that every deployment has. */
const isDocument = (endpoint: Endpoint): boolean =>
  endpoint.kind === 'document' &&
  !isOfDialects(endpoint) &&
  endpoint.errors === undefined &&
  formatsOf(endpoint).every((format) => !mediaTypes[format].startsWith('image/'));

const link = (text: string, url: string): string => `[${text}](${url})`;

const bullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}\n`).join('');
