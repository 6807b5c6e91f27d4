/** The npm package's exports: the application, the schemas and the pure functions behind them. */

export { UserAgent } from '../client/user-agent-schema.ts';
export { type ObservedRequest, unobserved } from '../core/observed.ts';
export { type Platform, unlimited } from '../core/platform.ts';
export type { Deployment, HttpResponse, RequestContext } from '../core/request-context.ts';
export { DnsAnswer } from '../lookups/dns/schema.ts';
export { Grade, type GradedResponse, HeaderCheck } from '../lookups/headers-check/schema.ts';
export * from '../lookups/light/light.ts';
export { RdapResult } from '../lookups/rdap/schema.ts';
export { RequestHeaders as Headers } from '../resources/connection.ts';
export { Fingerprint } from '../resources/fingerprint.ts';
export { Geo } from '../resources/geo.ts';
export { Info } from '../resources/info.ts';
export { TlsConnection } from '../resources/tls.ts';
export { HeaderTraits } from '../traits/header-traits.ts';
export { type App, createApp } from './app.ts';
