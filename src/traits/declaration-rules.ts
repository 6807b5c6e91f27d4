/** Rules about headers that declare a preference for privacy or an agent. */
import { findingIf, type Rules } from './rule.ts';

/** Firefox 135 removed the setting, Safari 12.1 did. https://support.mozilla.org/en-US/kb/how-do-i-turn-do-not-track-feature */
const doNotTrackUntil = { gecko: 134, webkit: 12 } as const;

export const privacyRules: Rules = {
  dnt: {
    level: 'info',
    hint: 'DNT requests not to be tracked.',
    reason: 'Few browsers still send it, so it narrows a fingerprint. It does not indicate a bot.',
    check: ({ headers }) => findingIf(headers.dnt === '1', 'dnt'),
  },
  gpc: {
    level: 'info',
    hint: 'Sec-GPC requests that data is not sold or shared.',
    reason:
      'Brave, DuckDuckGo and Tor Browser send it by default, Firefox as an option. It narrows a fingerprint and does not indicate a bot.',
    check: ({ headers }) => findingIf(headers['sec-gpc'] === '1', 'sec-gpc'),
  },
  'dnt-unexpected': {
    level: 'info',
    appliesTo: 'browsers',
    hint: 'DNT is present, but this browser no longer has that setting.',
    reason: 'Firefox removed it in version 135 and Safari in 2019; an extension can still add it.',
    check({ headers, engine, major }) {
      if (headers.dnt !== '1' || engine === 'blink' || engine === null || major === null) return null;
      return findingIf(major > doNotTrackUntil[engine], 'user-agent', 'dnt');
    },
  },
};

/** Headers that AI assistants add to their requests, and who adds them. Last updated: 2026-11-22 */
const agentHeaders: Readonly<Record<string, string>> = { 'x-claude-code-session-id': 'Claude Code' };

export const agentRules: Rules = {
  'agent-session': {
    level: 'info',
    hint: 'The headers name {agent}, whatever the User-Agent states.',
    reason: 'Some AI assistants mark their requests with headers of their own. Any client can set them.',
    check({ headers }) {
      const [found] = Object.entries(agentHeaders).filter(([name]) => headers[name] !== undefined);
      return found === undefined ? null : { headers: [found[0]], values: { agent: found[1] } };
    },
  },
  'signed-agent': {
    level: 'info',
    hint: 'Signature-Agent names an agent that signs its requests; this service does not verify the signature.',
    reason: 'Web Bot Auth (an IETF draft) lets automated agents identify themselves, whatever their User-Agent states.',
    check: ({ headers }) => findingIf((headers['signature-agent'] ?? '').trim() !== '', 'signature-agent'),
  },
};
