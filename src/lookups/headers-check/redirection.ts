/** Redirection: whether who comes by plain HTTP is led to HTTPS, and at once. */
import type { GradedResponse, Hop } from './header-check.ts';
import type { OutcomeOf } from './outcomes.ts';

/** Judged from the first address that is plain HTTP. */
export function redirection({ hops }: GradedResponse): OutcomeOf<'redirection'> {
  const start = hops.findIndex(isPlain);
  if (start === -1) return 'redirection-not-needed-no-http';
  const route = hops.slice(start).map(({ url }) => url);
  const [first = '', second] = route;
  if (second === undefined) return 'redirection-missing';
  if (!route.at(-1)?.startsWith('https:')) return 'redirection-not-to-https';
  // HSTS can be set only by the host that was asked, so its own HTTPS must come first.
  if (second.startsWith('http:')) return 'redirection-not-to-https-on-initial-redirection';
  return hostnameOf(first) === hostnameOf(second) ? 'redirection-to-https' : 'redirection-off-host-from-http';
}

/** Where the first plain HTTP address leads. */
export const redirectedTo = ({ hops }: GradedResponse): string | null => hops.find(isPlain)?.location ?? null;

const isPlain = ({ url }: Hop): boolean => url.startsWith('http:');
const hostnameOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).hostname : null);
