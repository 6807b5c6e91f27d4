/** The User-Agent of all outbound requests, and the statuses that are redirects. */
import { product } from '../core/product.ts';

const token = `${product.name}/${product.version}`;

/** `base` is the URL of this service, whose documentation explains these requests; null if it is not known. */
export function outboundUserAgent(base: string | null): string {
  return base === null ? token : `${token} (+${base}/docs)`;
}

/** Whether the sender is a service like this one: a lookup that triggers another lookup could loop forever. */
export function isOwnRequest(headers: Readonly<Record<string, string>>): boolean {
  return headers['user-agent']?.startsWith(`${product.name}/`) ?? false;
}

/**
 * Response header by which this service recognizes itself under another name or address, across threads and instances:
 * it sets the header if the request carries its own outbound User-Agent.
 */
export const selfHeader = 'Seenby-Self';

const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308];

/** Fetch standard, "redirect status"; the other 3xx statuses do not redirect. */
export const isRedirect = (status: number): boolean => redirectStatuses.includes(status);
