/** The input of an endpoint or a tool (the observed request, the platform, the body and the deployment), and the response. */
import type { RateSettings } from './limits.ts';
import type { ObservedRequest } from './observed.ts';
import type { Platform, RequestBody } from './platform.ts';
import type { Contact } from './setting-values.ts';

/** What clients can test besides their requests, as `/api/probes` reports it. */
export interface Probes {
  /** The zone that is delegated to this service; null without a DNS server. */
  readonly dns: { readonly zone: string } | null;
  /** Host name or IP address, and UDP ports of the STUN server; `mappingPort`: null without a second port. Null without a server. */
  readonly stun: { readonly host: string; readonly port: number; readonly mappingPort: number | null } | null;
  /** Whether the service connects to a TCP port of the client's address on request. */
  readonly portCheck: boolean;
}

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
  /** What clients can test besides their requests; default: nothing. */
  readonly probes?: Probes;
  /** Texts of the operator to serve below /.well-known/, by the name of their file. */
  readonly wellKnownFiles?: Readonly<Record<string, string>>;
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

/** Text, or the bytes of an image. */
export type Body = string | Uint8Array<ArrayBuffer>;

/** A response for an edge to send: without the body to HEAD, always with the body's Content-Length. */
export interface HttpResponse {
  readonly status: number;
  /** Best one object for all responses with these headers, which an edge then prepares once. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of this response alone, which `headers` does not contain. */
  readonly ownHeaders?: Readonly<Record<string, string>>;
  readonly body: Body;
  /** Set if the response is identical for all clients, so that an edge may store its encoded body. */
  readonly isConstant?: true;
  /** Set if it counts against no rate, so that an edge may limit the bytes that it sends of it (`document_limit`). */
  readonly isDocument?: true;
}
