/** Rules about the User-Agent and the headers that every browser sends. */
import type { HeaderClaims } from './claims.ts';
import { shortestUserAgent } from './data/rules.ts';
import { sendsFetchMetadata } from './fetch-rules.ts';
import { asInfo, type Finding, type RuleFunctions } from './rule.ts';

/** Names of the headers of MCP messages and signed webhooks (https://github.com/standard-webhooks/standard-webhooks). */
const machineHeader = /^mcp-|^(?:x-)?webhook-|^svix-|^x-hub-signature|^stripe-signature$/;

/** Requests of machines need no User-Agent. */
function unnamedClient(headers: HeaderClaims['headers']): Finding {
  const finding = { headers: ['user-agent'] };
  const { accept = '' } = headers;
  const isMcp = accept.includes('application/json') && accept.includes('text/event-stream');
  const isMachine = isMcp || Object.keys(headers).some((name) => machineHeader.test(name));
  return isMachine ? asInfo(finding, 'connectors') : finding;
}

const pageDestinations: ReadonlySet<string> = new Set(['document', 'iframe', 'frame', 'fencedframe']);

export const requestRules = {
  'user-agent-missing': ({ agent, headers }) => (agent.raw.trim() === '' ? unnamedClient(headers) : null),
  'user-agent-short'({ agent, headers }) {
    const { length } = agent.raw.trim();
    if (length === 0 || length >= shortestUserAgent) return null;
    // `curl/8.1` and `k6/1.4` are short and name the tool.
    return agent.bot !== null && agent.bot.kind !== 'bot' ? null : unnamedClient(headers);
  },
  'accept-language-missing'({ headers, isBrowser, isAppliance, isSpecial }) {
    if ((headers['accept-language'] ?? '').trim() !== '') return null;
    if (isAppliance) return 'appliance';
    if (isSpecial) return 'special';
    const subject = isBrowser ? 'a browser' : 'no browser';
    const finding = { headers: ['user-agent', 'accept-language'], values: { subject } };
    return isBrowser ? finding : { ...finding, level: 'info' };
  },
  'accept-any'(claims) {
    const { headers, isSpecial, https } = claims;
    if ((headers.accept ?? '').trim() !== '*/*') return null;
    if (isSpecial) return 'special';
    const mode = headers['sec-fetch-mode'];
    const finding: Finding = { headers: ['user-agent', 'accept', 'sec-fetch-mode'] };
    if (mode !== undefined) {
      const isPage = mode === 'navigate' && pageDestinations.has(headers['sec-fetch-dest'] ?? 'document');
      return isPage ? finding : 'notNavigation';
    }
    if (headers['upgrade-insecure-requests'] === '1')
      return { headers: ['user-agent', 'accept', 'upgrade-insecure-requests'] };
    if (https === false) return 'plainHttp';
    return sendsFetchMetadata(claims) ? asInfo(finding, 'ifNavigation') : 'notNavigation';
  },
} satisfies RuleFunctions;
