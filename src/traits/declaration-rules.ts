/** Rules about headers that declare a preference for privacy or an agent. */
import { findingIf, type RuleFunctions } from './rule.ts';

/** Firefox 135 removed the setting, Safari 12.1 did. https://support.mozilla.org/en-US/kb/how-do-i-turn-do-not-track-feature */
const doNotTrackUntil = { gecko: 134, webkit: 12 } as const;

/** Headers that AI assistants add to their requests, and who adds them. Last updated: 2026-11-22 */
const agentHeaders: Readonly<Record<string, string>> = { 'x-claude-code-session-id': 'Claude Code' };

export const declarationRules = {
  dnt: ({ headers }) => findingIf(headers.dnt === '1', 'dnt'),
  gpc: ({ headers }) => findingIf(headers['sec-gpc'] === '1', 'sec-gpc'),
  'dnt-unexpected'({ headers, engine, major }) {
    if (headers.dnt !== '1' || engine === 'blink' || engine === null || major === null) return null;
    return findingIf(major > doNotTrackUntil[engine], 'user-agent', 'dnt');
  },
  'agent-session'({ headers }) {
    const [found] = Object.entries(agentHeaders).filter(([name]) => headers[name] !== undefined);
    return found === undefined ? null : { headers: [found[0]], values: { agent: found[1] } };
  },
  'signed-agent': ({ headers }) => findingIf((headers['signature-agent'] ?? '').trim() !== '', 'signature-agent'),
} satisfies RuleFunctions;
