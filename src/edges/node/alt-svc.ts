/** Tells clients over HTTPS that HTTP/3 is served, and where (RFC 7838). */
import type { Settings } from '../../core/settings.ts';
import type { Exchange, Response } from '../../ingress/exchange.ts';

/** A day: a client that finds nothing there uses HTTP/2 again. */
const maxAgeSeconds = 86_400;

export class AltSvc {
  /** The UDP port of HTTP/3; null while it is not served, undefined if it is off. */
  port: number | null | undefined;
  readonly #settings: Pick<Settings, 'publicUrl' | 'http3Port' | 'tlsPort'>;

  constructor(settings: Pick<Settings, 'publicUrl' | 'http3Port' | 'tlsPort'>) {
    this.#settings = settings;
  }

  /** Adds the header, only if the client has opened this very connection: a proxy has ports of its own. */
  addTo(response: Response, { connection, target }: Exchange): Response {
    const { client, isSecure } = connection;
    if (this.port === undefined || !isSecure || client.relayed || client.trusted) return response;
    const value = this.port === null ? 'clear' : `h3=":${this.#publicPort(target.authority)}"; ma=${maxAgeSeconds}`;
    return { ...response, ownHeaders: { ...response.ownHeaders, 'Alt-Svc': value } };
  }

  /** A container may map the ports, but the same way for TCP and UDP if they have the same number. */
  #publicPort(authority: string): number | null | undefined {
    const { publicUrl, http3Port, tlsPort } = this.#settings;
    const [, publicHost] = /^https:\/\/([^/]+)/i.exec(publicUrl ?? '') ?? [];
    if (publicHost === undefined && (http3Port !== tlsPort || http3Port === 0)) return this.port;
    return Number(/:(\d+)$/.exec(publicHost ?? authority)?.[1] ?? 443);
  }
}
