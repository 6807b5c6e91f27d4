/** Responses to the requests with which a CA validates our domains and addresses (RFC 8555 §8.3, RFC 8737, RFC 8738). */
import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { parseWholeClientHello } from '../../client/fingerprint/client-hello.ts';
import { parseAddress } from '../../core/address.ts';
import type { ObservedRequest } from '../../core/observed.ts';
import type { HttpResponse } from '../../core/request-context.ts';
import { acmeChallengePath } from '../../http/https-redirect.ts';
import { mediaTypes } from '../../http/negotiate.ts';
import { commonHeaders } from '../../http/response.ts';
import { reverseZoneName } from '../../lookups/dns/name.ts';
import type { Certificate } from '../certificate.ts';

export type Challenge =
  | { readonly type: 'http-01'; readonly token: string; readonly keyAuthorization: string }
  | { readonly type: 'tls-alpn-01'; readonly domain: string; readonly certificate: Certificate };

/** Only plain values, so that one thread can send it to others. */
export type ChallengeUpdate =
  | { readonly kind: 'challenge'; readonly challenge: Challenge }
  | { readonly kind: 'challenges-ended' };

const acmeTls = 'acme-tls/1';

/** The challenges that are open, and the responses to them. `timeoutMs` bounds a handshake. */
export function createChallenges(timeoutMs: number) {
  const keyAuthorizations = new Map<string, string>();
  const contexts = new Map<string, SecureContext>();
  return {
    update(update: ChallengeUpdate): void {
      if (update.kind === 'challenges-ended') for (const map of [keyAuthorizations, contexts]) map.clear();
      else if (update.challenge.type === 'http-01')
        keyAuthorizations.set(acmeChallengePath + update.challenge.token, update.challenge.keyAuthorization);
      else contexts.set(serverNameOf(update.challenge.domain), createSecureContext(update.challenge.certificate));
    },
    /** Returns the response to an HTTP-01 request; null if it has no open token. */
    httpResponse({ method, path }: Pick<ObservedRequest, 'method' | 'path'>): HttpResponse | null {
      if (keyAuthorizations.size === 0 || (method !== 'GET' && method !== 'HEAD')) return null;
      const body = keyAuthorizations.get(path);
      if (body === undefined) return null;
      return { status: 200, headers: { 'Content-Type': mediaTypes.text, ...commonHeaders }, body };
    },
    /** Responds to a TLS-ALPN-01 request, by its ClientHello; returns false if it is not such a request, or its challenge is not open. */
    takeOver(socket: Socket, clientHello: Uint8Array): boolean {
      const name = contexts.size === 0 ? null : requestedName(clientHello);
      const context = name === null ? undefined : contexts.get(name);
      if (context !== undefined) completeHandshake(socket, context, timeoutMs);
      return context !== undefined;
    },
  };
}

/** The server name by which a CA requests a domain; for an address, its reverse name (RFC 8738 §6). */
function serverNameOf(domain: string): string {
  const address = parseAddress(domain);
  return address === null ? domain : reverseZoneName(address);
}

/** The server name of a ClientHello body that offers only the protocol of TLS-ALPN-01 (RFC 8737 §3); null for every other one. */
function requestedName(clientHello: Uint8Array): string | null {
  const { alpn = null, serverName = null } = parseWholeClientHello(clientHello) ?? {};
  if (alpn?.length !== 1 || alpn[0] === undefined || serverName === null) return null;
  const [protocol, name = ''] = [alpn[0], serverName].map((bytes) => Buffer.from(bytes).toString('latin1'));
  return protocol === acmeTls ? name.toLowerCase() : null;
}

/** Completes the handshake with the challenge's certificate and closes the connection (RFC 8737 §3). */
function completeHandshake(socket: Socket, secureContext: SecureContext, timeoutMs: number): void {
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  socket.once('close', () => clearTimeout(timer));
  const tlsSocket = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: [acmeTls] });
  tlsSocket.on('error', () => socket.destroy());
  tlsSocket.on('secure', () => tlsSocket.end());
  tlsSocket.resume();
}
