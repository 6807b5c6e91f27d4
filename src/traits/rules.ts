/** The rules of check_headers. To add a rule, add a row to one of these tables and a header set that triggers it. */
import { clientHintsRules } from './client-hints-rules.ts';
import { fetchRules } from './fetch-rules.ts';
import { firefoxRules } from './firefox-rules.ts';
import { handshakeRules } from './handshake-rules.ts';
import { hintValueRules } from './hint-value-rules.ts';
import { agentRules, networkRules } from './network-rules.ts';
import { requestRules } from './request-rules.ts';
import type { Rules } from './rule.ts';
import { frozenRules, versionRules } from './version-rules.ts';

/**
 * By id, in the order in which hints are listed. Of Accept-Encoding, which edges rewrite, a rule uses only `identity`, which none of
 * them writes; and one rule uses the header order, if it is the client's own. Last updated: 2026-11-22
 */
export const rules: Rules = {
  ...requestRules,
  ...clientHintsRules,
  ...hintValueRules,
  ...fetchRules,
  ...firefoxRules,
  ...networkRules,
  ...versionRules,
  ...handshakeRules,
  ...agentRules,
  ...frozenRules,
};
