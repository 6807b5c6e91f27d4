/** The input of an endpoint or a tool: the observed request, the platform, the body and the deployment. */
import type { RateSettings } from './limits.ts';
import type { ObservedRequest } from './observed.ts';
import type { Platform, RequestBody } from './platform.ts';
import type { Contact } from './setting-values.ts';

/** Public settings of a deployment. */
export interface Deployment extends RateSettings {
  /** The service's public URL without a final slash; null to use the origin of each request. */
  readonly publicUrl: string | null;
  readonly contact: Contact | null;
  /** Whether requests are counted in a store that several instances share; default: false. */
  readonly sharesLimits?: boolean;
  /** Whether clients over TLS learn of HTTP/3; default: false. */
  readonly offersHttp3?: boolean;
  /** Origin of this service on a host name that has only IPv4. */
  readonly publicUrlV4?: string | null;
  /** Origin of this service on a host name that has only IPv6. */
  readonly publicUrlV6?: string | null;
}

/** A deployment as one client addresses it. */
export interface Site {
  readonly deployment: Deployment;
  /** The service's own URL for this client, without a final slash: the deployment's `publicUrl`, else the request's origin. */
  readonly baseUrl: string;
}

export interface RequestContext extends Site {
  readonly observed: ObservedRequest;
  readonly platform: Platform;
  readonly body: RequestBody;
}
