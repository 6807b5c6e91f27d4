/** The shape of Cloudflare's /cdn-cgi/trace. */
import { parseWholeClientHello } from '../client/fingerprint/client-hello.ts';
import { parseAddress } from '../core/address.ts';
import type { ObservedRequest } from '../core/observed.ts';
import { replaceControls } from '../core/text.ts';
import { type DialectRequest, type DialectRow, rowsOf } from './dialect.ts';

function formatTrace({ about, observed, nowMs }: DialectRequest): string {
  const { headers, origin, isSecure, protocol, tls } = observed;
  const values = {
    h: hostOf(headers.host ?? origin.replace(/^.*?:\/\//, '')),
    ip: about.ip ?? '',
    ts: (nowMs / 1000).toFixed(3),
    visit_scheme: isSecure ? 'https' : 'http',
    uag: headers['user-agent'] ?? '',
    colo: observed.colo,
    sliver: 'none',
    http: protocol?.toLowerCase() ?? null,
    loc: about.country ?? 'XX',
    tls: isSecure ? tls.version : 'off',
    sni: serverNameOf(observed),
    warp: 'off',
    gateway: 'off',
    rbi: 'off',
  };
  return Object.entries(values)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key}=${replaceControls(`${value}`)}\n`)
    .join('');
}

/** Null for an IP address, or a host that contains one, such as 10.0.0.5.nip.io: clients mistake the first address of the text for theirs. */
function hostOf(authority: string): string | null {
  const host = authority.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');
  const hasAddress = parseAddress(host) !== null || /(?<!\d)(?:\d{1,3}\.){3}\d{1,3}(?!\d)/.test(host);
  return hasAddress ? null : authority;
}

/** Whether the ClientHello has a server name; null if the edge does not observe it. */
function serverNameOf({ isSecure, handshake: { clientHello } }: ObservedRequest): string | null {
  if (!isSecure) return 'off';
  const hello = clientHello && parseWholeClientHello(clientHello);
  return hello && (hello.serverName === null ? 'off' : 'plaintext');
}

export const trace: readonly DialectRow[] = rowsOf('text/plain', [
  ['', 'Address, country and connection as key=value lines', formatTrace],
  ['/cdn-cgi/trace', 'Address, country and connection as key=value lines', formatTrace],
]);
