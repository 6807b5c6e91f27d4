/** Redirection: whether plain HTTP redirects to HTTPS, and immediately. */

import type { OutcomeOf } from '../outcomes.ts';
import type { GradedResponse, Hop } from '../schema.ts';

/** Grades the redirect chain from its first plain-HTTP URL. */
export function redirection({ hops }: GradedResponse): OutcomeOf<'redirection'> {
  const start = hops.findIndex(isPlain);
  if (start === -1) return 'redirection-not-needed-no-http';
  const route = hops.slice(start).map(({ url }) => url);
  const [first = '', second] = route;
  if (second === undefined) return 'redirection-missing';
  if (!route.at(-1)?.startsWith('https:')) return 'redirection-not-to-https';
  // Only the requested host itself can set HSTS for itself, so its own HTTPS URL must come first.
  if (second.startsWith('http:')) return 'redirection-not-to-https-on-initial-redirection';
  return hostnameOf(first) === hostnameOf(second) ? 'redirection-to-https' : 'redirection-off-host-from-http';
}

/** Redirect target of the first plain-HTTP URL; null if there is none. */
export const redirectedTo = ({ hops }: GradedResponse): string | null => hops.find(isPlain)?.location ?? null;

const isPlain = ({ url }: Hop): boolean => url.startsWith('http:');
const hostnameOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).hostname : null);
