/** TLS handshakes with every address of a host, bounded in number and time; no application data is sent. */
import { connect, type SecureContext, type TLSSocket } from 'node:tls';
import { otherTlsPorts } from '../../../core/limits.ts';
import type { OutboundFailure } from '../../../core/platform.ts';
import type { Handshake, HandshakeOutcome, HandshakeRequest, Handshakes } from '../../../core/tls/handshakes.ts';
import { literalOf } from '../../../lookups/public-address.ts';
import { skipPeerCertificate, verifyErrorOf } from '../../../native/socket.ts';
import { alertNames } from './data/alert-names.ts';
import { Roots, readPeer } from './peer-certificates.ts';
import { allPublicAddresses, type HostAddress, type HostAddresses } from './public-lookup.ts';
import { ownFailureOf } from './route.ts';
import { createBoundedContext } from './tls-bounds.ts';

/** Addresses of each IP version that get a handshake. */
const maxPerVersion = 4;
const maxHandshakes = 8;
/** Part of the time that name resolution may take. */
const resolutionPart = 0.4;

interface HandshakeOptions {
  /** Resolves a host; if undefined, to public addresses only. */
  readonly allAddressesOf: ((host: string, timeoutMs: number) => Promise<HostAddresses | OutboundFailure>) | undefined;
  /** Certificates to trust besides the roots of Node, PEM. */
  readonly ca: readonly string[];
  /** Resolves when a connection may be opened. */
  readonly waitForTurn: () => Promise<void>;
  /** Is given each connection before its handshake. */
  readonly watch: (socket: TLSSocket) => void;
}

/** Runs one part of a lookup, its DNS queries or a handshake; `overloaded` if the client has too many in progress. */
type RunWithinLimit = <Result extends object>(
  run: () => Promise<Result>,
) => Promise<Result | { readonly failure: 'overloaded' }>;

const runWithoutLimit: RunWithinLimit = (run) => run();

export function createHandshakes({ allAddressesOf = allPublicAddresses, ca, waitForTurn, watch }: HandshakeOptions) {
  const contexts = createContexts(ca);
  const open = new Set<TLSSocket>();

  const shakeHands = async (address: string, target: Target, versions: Versions): Promise<Handshake> => {
    await waitForTurn();
    const context = contexts.of(versions);
    const began = performance.now();
    const socket = openSocket(address, target, context);
    open.add(socket);
    watch(socket);
    try {
      const end = await endOf(socket, Math.max(0, target.deadlineMs - began));
      const elapsedMs = performance.now() - began;
      return {
        address,
        ...end,
        ...observe(socket, end.outcome, { host: target.host, roots: contexts.roots }),
        elapsedMs,
      };
    } finally {
      open.delete(socket);
      // Without a connection, the end would wait for as long as the kernel tries to open one.
      if (socket.connecting) socket.destroy();
      // The end of the handshake is still to be sent, and with it the alert that closes the connection (RFC 8446 §6.1).
      else socket.destroySoon();
    }
  };

  /** Never rejects. */
  const handshakes = async (
    { host, port, timeoutMs }: HandshakeRequest,
    runWithinLimit: RunWithinLimit = runWithoutLimit,
  ): Promise<Handshakes | { readonly failure: OutboundFailure }> => {
    const target = { host, port, deadlineMs: performance.now() + timeoutMs };
    const found = await runWithinLimit(async () => {
      const resolved = await allAddressesOf(host, timeoutMs * resolutionPart);
      return typeof resolved === 'string' ? { failure: resolved } : resolved;
    });
    if ('failure' in found) return found;
    const chosen = choose(found.addresses);
    const shake = async (address: string, versions: Versions): Promise<Handshake> => {
      const result = await runWithinLimit(() => shakeHands(address, target, versions));
      return 'failure' in result
        ? { ...unobserved, address, outcome: result.failure, detail: null, elapsedMs: 0 }
        : result;
    };
    // One more handshake with old versions, as soon as one is complete.
    let oldVersions: Promise<Handshake> | null = null;
    const shakeFirst = async (address: string): Promise<Handshake> => {
      const result = await shake(address, 'all');
      if (result.outcome === 'ok' && chosen.length < maxHandshakes)
        oldVersions ??= isOld(result) ? Promise.resolve(result) : shake(address, 'old');
      return result;
    };
    const all = await Promise.all(chosen.map(({ address }) => shakeFirst(address)));
    const omitted = found.omitted + found.addresses.length - chosen.length;
    return { handshakes: all, omitted, unknownVersions: found.unknownVersions, oldVersions: await oldVersions };
  };

  /** Ends all of them. */
  const end = (): void => {
    for (const socket of open) socket.destroy(new Error('the service stops'));
  };
  return { handshakes, end };
}

type Versions = 'all' | 'old';

const isOld = ({ protocol }: Handshake): boolean => protocol === 'TLSv1' || protocol === 'TLSv1.1';

/** The settings of the handshakes, each made at its first use. `ca`: as in `HandshakeOptions`. */
function createContexts(ca: readonly string[]) {
  const roots = new Roots(ca);
  const made: Partial<Record<Versions, SecureContext>> = {};
  const make = (versions: Versions): SecureContext =>
    createBoundedContext({
      // Without them, OpenSSL offers no TLS 1.0, and rejects weak certificates, which are to be shown.
      weakCiphers: true,
      minVersion: 'TLSv1',
      maxVersion: versions === 'all' ? 'TLSv1.3' : 'TLSv1.1',
      ...(ca.length > 0 && { ca: [...roots.all()] }),
    });
  const of = (versions: Versions): SecureContext => {
    made[versions] ??= make(versions);
    return made[versions];
  };
  return { roots, of };
}

function openSocket(address: string, { host, port }: Target, secureContext: SecureContext): TLSSocket {
  const socket = connect({
    host: address,
    port,
    ...(literalOf(host) === null && { servername: host }),
    secureContext,
    // Decided from what was observed; a wrong name would hide a broken chain.
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
    // Servers of other protocols may reject those of the web (RFC 7301 §3.2).
    ...(!otherTlsPorts.includes(port) && { ALPNProtocols: ['h2', 'http/1.1'] }),
  });
  skipPeerCertificate(socket);
  return socket;
}

type End = Pick<Handshake, 'outcome' | 'detail'>;

/** How the handshake ends; it never rejects. */
async function endOf(socket: TLSSocket, timeoutMs: number): Promise<End> {
  const { promise, resolve } = Promise.withResolvers<End>();
  let place = 'no TCP connection';
  socket.once('connect', () => {
    place = 'connected, but no handshake';
  });
  const timer = setTimeout(() => resolve({ outcome: 'timeout', detail: place }), timeoutMs);
  socket.once('secureConnect', () => resolve({ outcome: 'ok', detail: null }));
  // Stays: an alert may follow the handshake.
  socket.on('error', (error: NodeJS.ErrnoException) => resolve(endByError(error)));
  const end = await promise;
  clearTimeout(timer);
  return end;
}

interface Target {
  readonly host: string;
  readonly port: number;
  /** As `performance.now`. */
  readonly deadlineMs: number;
}

/** The first addresses of each IP version, in the order of DNS. */
const choose = (addresses: readonly HostAddress[]): readonly HostAddress[] =>
  ([4, 6] as const).flatMap((version) => addresses.filter(({ family }) => family === version).slice(0, maxPerVersion));

const unobserved = { protocol: null, cipher: null, group: null, alpn: null, peer: null } as const;

/** A certificate is known also if the handshake ended with an alert after it. */
function observe(
  socket: TLSSocket,
  outcome: HandshakeOutcome,
  { host, roots }: { readonly host: string; readonly roots: Roots },
): Partial<End> & Pick<Handshake, 'protocol' | 'cipher' | 'group' | 'alpn' | 'peer'> {
  const isDone = outcome === 'ok';
  const first = socket.getPeerX509Certificate();
  // Node states it only after the handshake.
  const verifyError = isDone ? verifyErrorOf(socket) : undefined;
  const peer = first === undefined ? null : readPeer(first, { host, roots, verifyError });
  if (!isDone) return { ...unobserved, peer };
  if (peer === null) return { ...unobserved, outcome: 'failed', detail: 'malformed certificate' };
  const group = socket.getEphemeralKeyInfo();
  return {
    protocol: socket.getProtocol(),
    cipher: socket.getCipher().name,
    group: group !== null && 'name' in group ? (group.name ?? null) : null,
    alpn: socket.alpnProtocol || null,
    peer,
  };
}

/** Outcomes by the code of an error. */
const outcomes: Readonly<Record<string, HandshakeOutcome>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'closed',
  EPIPE: 'closed',
  ETIMEDOUT: 'timeout',
  ENETUNREACH: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  EACCES: 'unreachable',
  ENOPROTOOPT: 'unreachable',
  EMFILE: 'overloaded',
  ENFILE: 'overloaded',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no_tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'no_tls',
  ERR_SSL_HTTP_REQUEST: 'no_tls',
};

async function endByError(
  error: NodeJS.ErrnoException & { readonly reason?: string; readonly address?: string },
): Promise<End> {
  const { code = '', message, reason, address = '' } = error;
  const [, alert] = /SSL alert number (\d+)/.exec(message) ?? [];
  if (alert !== undefined) return { outcome: 'alert', detail: alertNames[Number(alert)] ?? `alert ${alert}` };
  const known = (await ownFailureOf(code, address)) ?? outcomes[code];
  return known === undefined ? { outcome: 'failed', detail: reason ?? code } : { outcome: known, detail: null };
}
