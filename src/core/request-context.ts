/** The input of an endpoint or a tool (the observed request, the platform, the body and the deployment), and the response. */
import type { RateSettings } from './limits.ts';
import type { ObservedRequest } from './observed.ts';
import type { Platform, RequestBody } from './platform.ts';
import type { Contact } from './setting-values.ts';

/** What clients can test besides their requests, as `/api/probes` reports it. */
export interface Probes {
  /** The zone that is delegated to this service; null if it has no DNS server. */
  readonly dns: { readonly zone: string } | null;
  /** The STUN server: its host name or IP address and its UDP ports (`mappingPort` is null if it has one). Null if there is none. */
  readonly stun: { readonly host: string; readonly port: number; readonly mappingPort: number | null } | null;
  /** Whether the service connects to a TCP port of the client's address on request. */
  readonly portCheck: boolean;
}

/** Public settings of a deployment. */
export interface Deployment extends RateSettings {
  /** The service's public URL without a path, such as `https://seenby.example`; null to use the origin of each request. */
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
  /** Host names of this service besides the hosts of its URLs; default: none. */
  readonly otherHosts?: readonly string[];
  /** Whether the platform has databases of IP addresses; default: true. */
  readonly hasAddressData?: boolean;
  /** Whether the platform shows the certificates of servers; default: true. */
  readonly readsCertificates?: boolean;
  /** What clients can test besides their requests; default: nothing. */
  readonly probes?: Probes;
  /** Texts of the operator to serve below /.well-known/, by the name of their file. */
  readonly wellKnownFiles?: Readonly<Record<string, string>>;
}

/** A deployment, and the URL under which one client reaches it. */
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
  /** Pass the same object for all responses that have these headers: an edge prepares each object only once. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that only this response has; none of them is in `headers`. */
  readonly ownHeaders?: Readonly<Record<string, string>>;
  readonly body: Body;
  /** Set if the response is identical for all clients, so that an edge may store its encoded body. */
  readonly isConstant?: true;
  /** Set if no rate counts the request. An edge may limit the bytes of such responses (`document_limit`). */
  readonly isDocument?: true;
}
