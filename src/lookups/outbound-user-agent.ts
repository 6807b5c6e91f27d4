/** How the service names itself to those it asks. */

const product = 'Seenby/1.0';

/** `base` is the service's own address, under which its documentation says who asks and why; null where it has none. */
export function outboundUserAgent(base: string | null): string {
  return base === null ? product : `${product} (+${base}/docs)`;
}

/** Whether a request came from a service like this one: a lookup that is answered with a lookup could go on for ever. */
export function isOwnRequest(headers: Readonly<Record<string, string>>): boolean {
  return headers['user-agent']?.startsWith(product) ?? false;
}
