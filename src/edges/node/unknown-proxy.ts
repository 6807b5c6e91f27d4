/** Detects a proxy in front of the service that TRUST_PROXY does not name: then all visitors are one client, and share its limits. */
import type { Log } from '../../core/log.ts';
import type { Exchange } from '../../ingress/exchange.ts';
import type { Key } from '../../ingress/limits/sip-hash.ts';

/** Requests of one address with the header, more than of all others: a proxy sends it with each request, a stranger only now and then. */
const manyRequests = 10;

// Names no address: behind a container's address translation, every client has that of the gateway.
const message =
  'requests from one address carry X-Forwarded-For: if that is your proxy, and nobody can reach this port without it, set TRUST_PROXY to its address; see docs/troubleshooting.md';

/**
 * Returns a function for the requests of peers that are not trusted; it logs a line, once, when many of one address carry
 * X-Forwarded-For. Stores no address, only the keyed hash of one client and a count: a vote in which each request counts for its own
 * address and against another, so that scattered requests of many clients do not add up.
 */
export function createProxyDetector(notice: Log): (exchange: Exchange) => void {
  let candidate: Key | null = null;
  let votes = 0;
  return (exchange) => {
    if (votes === manyRequests || !isForwarded(exchange.rawHeaders)) return;
    const { key } = exchange.connection.identity;
    if (votes === 0) candidate = key;
    votes += key.high === candidate?.high && key.low === candidate.low ? 1 : -1;
    if (votes !== manyRequests) return;
    candidate = null;
    notice('proxy_not_trusted', message);
  };
}

const forwardedFor = 'x-forwarded-for';

function isForwarded(rawPairs: readonly string[]): boolean {
  for (let at = 0; at < rawPairs.length; at += 2) {
    const name = rawPairs[at] as string;
    if (name.length === forwardedFor.length && name.toLowerCase() === forwardedFor) return true;
  }
  return false;
}
