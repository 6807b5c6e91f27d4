/** The exports of the light library: who is calling, what stands out in headers, and how they are graded. No server, no databases. */
export { encodeDnsQuery, parseDnsResponse } from './dns.ts';
export { http2Fingerprint, tlsFingerprints } from './fingerprints.ts';
export { grade } from './grade.ts';
export { headerTraits } from './header-traits.ts';
export { kinds } from './kinds.ts';
export { summarize } from './summarize.ts';
export { parseUserAgent, userAgent } from './user-agent.ts';
