/** Reads from headers which page made a browser send a request (W3C Fetch Metadata, Fetch standard); programs send none of these headers. */
import { ServiceError } from '../core/errors.ts';
import type { RequestContext } from '../core/request-context.ts';
import { literalOf, mayBePublic } from '../lookups/public-address.ts';

const originOf = (url: string): string | null => URL.parse(url)?.origin ?? null;

/** Pages of the service also request its hosts for one IP version. */
function isOwnOrigin(url: string, { observed, baseUrl, deployment }: RequestContext): boolean {
  const origin = originOf(url);
  const own = [observed.origin, baseUrl, deployment.publicUrlV4, deployment.publicUrlV6];
  return origin !== null && own.some((each) => each && originOf(each) === origin);
}

const isOwnSite = (site: string): boolean => site === 'same-origin' || site === 'none';

/** Whether a browser prefetches or prerenders, so that the visitor may never see the response. */
export function isPrefetch({ observed }: RequestContext): boolean {
  const { 'sec-purpose': purpose, purpose: legacyPurpose } = observed.headers;
  return [purpose, legacyPurpose].some((each) => each?.startsWith('prefetch'));
}

/**
 * Whether the visitor opened the URL, or a page of this service requested it. Browsers omit Sec-Fetch-Site over plain HTTP to other hosts,
 * and old ones always; then only a Referer of this service shows it, which its pages send to itself and no other page can set.
 */
export function isOwnRequestOfVisitor(context: RequestContext): boolean {
  const { 'sec-fetch-site': site, referer } = context.observed.headers;
  if (site !== undefined) return isOwnSite(site);
  return referer !== undefined && isOwnOrigin(referer, context);
}

/** Whether nothing states which page made the browser send the request: then it may be the visitor's own. */
export const hasNoOrigin = ({ observed: { headers } }: RequestContext): boolean =>
  headers['sec-fetch-site'] === undefined && headers.referer === undefined;

/**
 * Throws `cross_origin` if a page of another origin, or a prefetch, made a browser send the request: without this, any page could test the
 * networks of its visitors through this service, for example scan their ports.
 */
export function rejectOtherOrigins(context: RequestContext): void {
  if (isFromOtherOrigin(context)) throw new ServiceError('cross_origin');
}

/**
 * Every request whose response a page of another origin can read has an Origin, also over plain HTTP and in browsers without
 * Sec-Fetch-Site. A page that resolves its own name to this service (DNS rebinding) seems to be of the same origin, but its name is not that
 * of PUBLIC_URL.
 */
export function isFromOtherOrigin(context: RequestContext): boolean {
  const { 'sec-fetch-site': site, origin } = context.observed.headers;
  // Of a page of the service that requests its host for the other IP version, only the Origin shows whose it is.
  const isOther = origin === undefined ? site !== undefined && !isOwnSite(site) : !isOwnOrigin(origin, context);
  return isOther || isPrefetch(context) || isRebound(context);
}

/** Whether the host of the request is a name of the internet that the settings do not know. */
function isRebound({ observed, deployment }: RequestContext): boolean {
  const { publicUrl, publicUrlV4, publicUrlV6, otherHosts = [] } = deployment;
  if (publicUrl === null) return false;
  const hostname = hostNameOf(observed.origin);
  // A name without a dot is one of a container or a network.
  if (!hostname.includes('.') || literalOf(hostname) !== null || !mayBePublic(hostname)) return false;
  if (otherHosts.includes(hostname)) return false;
  return ![publicUrl, publicUrlV4, publicUrlV6].some((url) => url && hostNameOf(url) === hostname);
}

/** Without the dot of a fully qualified name, which names the same host. */
const hostNameOf = (url: string): string => new URL(url).hostname.replace(/\.$/, '');
