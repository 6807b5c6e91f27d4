/** Headers that isolate a page from other origins: CORP and CORS (Fetch §3.3, §3.8), COOP and COEP (HTML §7.1.3, §7.1.4). */
import { parseItem, Token } from 'structured-headers';
import type { OutcomeOf } from './outcomes.ts';
import type { GradedResponse } from './schema.ts';

const openerPolicies = new Map<string, OutcomeOf<'cross-origin-opener-policy'>>([
  ['same-origin', 'coop-implemented-with-same-origin'],
  ['same-origin-allow-popups', 'coop-implemented-with-same-origin-allow-popups'],
  ['noopener-allow-popups', 'coop-implemented-with-noopener-allow-popups'],
  ['unsafe-none', 'coop-implemented-with-unsafe-none'],
]);

const embedderPolicies = new Map<string, OutcomeOf<'cross-origin-embedder-policy'>>([
  ['require-corp', 'coep-implemented-with-require-corp'],
  ['credentialless', 'coep-implemented-with-credentialless'],
  ['unsafe-none', 'coep-implemented-with-unsafe-none'],
]);

const resourcePolicies = new Map<string, OutcomeOf<'cross-origin-resource-policy'>>([
  ['same-origin', 'corp-implemented-with-same-origin'],
  ['same-site', 'corp-implemented-with-same-site'],
  ['cross-origin', 'corp-implemented-with-cross-origin'],
]);

export function crossOriginOpenerPolicy({ headers }: GradedResponse): OutcomeOf<'cross-origin-opener-policy'> {
  const value = headers['cross-origin-opener-policy'];
  return value ? (openerPolicies.get(tokenOf(value)) ?? 'coop-header-invalid') : 'coop-not-implemented';
}

export function crossOriginEmbedderPolicy({ headers }: GradedResponse): OutcomeOf<'cross-origin-embedder-policy'> {
  const value = headers['cross-origin-embedder-policy'];
  return value ? (embedderPolicies.get(tokenOf(value)) ?? 'coep-header-invalid') : 'coep-not-implemented';
}

export function crossOriginResourcePolicy({ headers }: GradedResponse): OutcomeOf<'cross-origin-resource-policy'> {
  const value = headers['cross-origin-resource-policy'];
  if (!value) return 'corp-not-implemented';
  return resourcePolicies.get(value.trim().toLowerCase()) ?? 'corp-header-invalid';
}

/** The Observatory grades the response to a request with an Origin header; this service sends none. */
export function crossOriginResourceSharing(): OutcomeOf<'cross-origin-resource-sharing'> {
  return 'cross-origin-resource-sharing-not-implemented';
}

/** The token of a structured field (RFC 9651 §3.3.4) without its parameters; empty for anything else. */
function tokenOf(value: string): string {
  try {
    const [item] = parseItem(value);
    return item instanceof Token ? item.toString() : '';
  } catch {
    return '';
  }
}
