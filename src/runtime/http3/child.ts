/**
 * The program of the process for HTTP/3: terminates QUIC, and passes streams on to the service. It reads untrusted packets with native code,
 * so it gets no environment, no files but compiled code, and no secret but the key of the certificate. It ends when the service has ended.
 */
import { createPrivateKey } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { failureOf } from '../../core/errors.ts';
import type { RejectionReason } from '../../core/metrics.ts';
import type { Settings } from '../../core/settings.ts';
import type { Bounds } from '../../edges/node/limits/bounds.ts';
import { allocateSharedMemory, createAddressLimits, openLimits } from '../../edges/node/limits/limits.ts';
import { monotonicMs } from '../../edges/node/limits/shared-table.ts';
import { errorCodes } from '../../ingress/http3/data/registries.ts';
import { handshakeCost } from '../../ingress/limits/handshake-cost.ts';
import { createIdentify } from '../../ingress/limits/identity.ts';
import { Pool } from '../../ingress/limits/pool.ts';
import { localPortBounds, openPorts } from '../../ingress/local-ports.ts';
import { createRelease, disablePretenuring, settleHeap } from '../../native/garbage.ts';
import { listenQuic } from '../../native/quic/endpoint.ts';
import type { HeldConnection, QuicEndpoint, QuicOptions } from '../../native/quic/server-interface.ts';
import { runEvery } from '../../native/ticks.ts';
import type { Certificate } from '../certificate.ts';
import { listenProblem } from '../listen.ts';
import { type MemoryWatch, watchMemory } from '../memory-limit.ts';
import { Counts } from '../program/counts.ts';
import type { ReportOf, RequestOf } from '../program/host.ts';
import { createLogs } from '../program/logs.ts';
import { createBridge } from './bridge.ts';
import { QuicMemory } from './quic-memory.ts';

/** Only what the process needs: it has no secret but the key of the certificate. */
export interface Http3Start {
  readonly settings: Pick<
    Settings,
    'host' | 'reusePort' | 'tlsGroups' | 'connectionRate' | 'maxConnections' | 'maxConnectionsPerAddress'
  >;
  readonly port: number;
  /** Limit of this process in MiB; 0: none. */
  readonly memoryMb: number;
  readonly bounds: Bounds;
  readonly certificate: Certificate;
  /** Folder of the Unix sockets on which the threads of the service accept connections: from 1 to `threads`. */
  readonly folder: string;
  readonly threads: number;
}

export type Http3Request =
  | { readonly kind: 'start'; readonly start: Http3Start }
  | { readonly kind: 'certificate'; readonly certificate: Certificate }
  | { readonly kind: 'drain' };

export type Http3Report =
  /** Null: this system or Node has no QUIC. */
  { readonly kind: 'listening'; readonly port: number | null } | { readonly kind: 'pong'; readonly usage: Http3Usage };

/** Current use of the process; null if the kernel does not report it. */
export interface Http3Usage {
  readonly memoryBytes: number | null;
  readonly cpuSeconds: number;
}

const report = (message: ReportOf<Http3Report>): void => void process.send?.(message);

const { log, notice, waiting } = createLogs(report);

const endWith = (message: ReportOf<Http3Report>): void => void process.send?.(message, () => process.exit(1));

process.on('uncaughtException', (error) => endWith({ kind: 'error', reason: failureOf(error) }));
// The service ends this process: a terminal and service managers signal all processes of a group.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

let endpoint: QuicEndpoint | null = null;
/** The certificate of `endpoint`. */
let inUse: Certificate | null = null;
let options: QuicOptions | null = null;
let memory: MemoryWatch | null = null;

process.on('message', async (request: RequestOf<Http3Request>) => {
  if (request.kind === 'start') await start(request.start);
  else if (request.kind === 'certificate') await replaceCertificate(request.certificate);
  else if (request.kind === 'ping') report({ kind: 'pong', usage: readUsage() });
  else if (request.kind === 'drain') endpoint?.drain();
  else if (request.kind === 'close') {
    await endpoint?.close(request.withinMs);
    process.exit();
  }
});

async function start({ settings, bounds, port, memoryMb, certificate, folder, threads }: Http3Start): Promise<void> {
  disablePretenuring();
  process.on('disconnect', () => {
    // The service has been killed, and cannot remove its folder.
    rmSync(folder, { recursive: true, force: true });
    process.exit();
  });
  const limits = openLimits(allocateSharedMemory(bounds, 1), { settings, bounds, thread: 1 });
  settleHeap(bounds.heapGrowthPercent);
  runEvery(bounds.pruneMs, () => limits.prune(monotonicMs()));
  runEvery(bounds.releaseMemoryMs, createRelease(bounds, 1));
  const countAddress = createAddressLimits(limits, settings.maxConnectionsPerAddress, bounds.networkBudget);
  const identify = createIdentify();
  memory = watchMemory({ limitMb: memoryMb, process: 'http3' }, bounds, notice);
  const counts = new Counts();
  const reject = (reason: RejectionReason): null => {
    counts.countRejection(reason);
    return null;
  };
  const { maxConnections: max } = settings;
  // A handshake is a connection here as well.
  const places = new Pool<HeldConnection>({
    capacity: max,
    maxOfNetwork: max * bounds.networkShare,
    clientsOfNetwork: bounds.clientsOfNetwork,
    stateOf: ({ hasRequest }) => (hasRequest ? 'busy' : 'idle'),
    evict(connection) {
      reject('replaced');
      connection.close(errorCodes.noError);
    },
  });
  const held = new QuicMemory(bounds, places, () => void reject('quic_memory'));
  runEvery(bounds.connectionCheckMs, () => {
    held.sweep();
    places.sweep();
    counts.reportBy(report);
  });
  options = {
    host: settings.host,
    port,
    certificate,
    groups: settings.tlsGroups,
    bounds,
    handshakeCost: (clientHello) => handshakeCost(Buffer.from(clientHello)),
    admit(connection) {
      const client = identify(connection.ip);
      // The largest holders give way.
      const isFull = memory?.isFull() === true && !held.makeRoomFor(client);
      const counted = isFull ? 'memory' : countAddress(client);
      if (typeof counted === 'string') return reject(counted);
      const release = (): void => {
        counted();
        places.leave(connection);
      };
      if (places.enter(connection, client)) return release;
      release();
      return reject('connections');
    },
    onConnection: createBridge({
      paths: Array.from({ length: threads }, (_, at) => join(folder, `${at + 1}`)),
      bounds,
      memory: held,
      onResets: () => void reject('stream_resets'),
    }),
  };
  await listen(settings.reusePort);
}

function readUsage(): Http3Usage {
  const { user, system } = process.cpuUsage();
  return { memoryBytes: memory?.usedBytes() ?? null, cpuSeconds: (user + system) / 1e6 };
}

/**
 * Uses this certificate from now on; while there is no endpoint, the one that `listen` opens gets it. OpenSSL would keep a certificate with a
 * key of another type, and still use it for some clients; a new server has only the new one.
 */
async function replaceCertificate(certificate: Certificate): Promise<void> {
  if (options === null) return;
  options = { ...options, certificate, port: endpoint?.port ?? options.port };
  if (endpoint === null || inUse === null) return;
  const isSameType = keyTypeOf(certificate) === keyTypeOf(inUse);
  inUse = certificate;
  if (isSameType) {
    endpoint.setCertificate(certificate);
    return;
  }
  const replaced = endpoint;
  endpoint = null;
  await replaced.close();
  await listen(false);
}

const keyTypeOf = ({ key }: Certificate): string | undefined => createPrivateKey(key).asymmetricKeyType;

/** With `waits`, another process may have the port for some time. */
async function listen(waits: boolean): Promise<void> {
  const given = (): QuicOptions => options as QuicOptions;
  const { host, port } = given();
  const onWaiting = (): void =>
    waiting('http3_waiting', `HTTP/3 waits for UDP port ${port}, which another process still has`, { port });
  // The certificate may be renewed at any time, so that each attempt has the latest options.
  const attempt = async () => ({ certificate: given().certificate, opened: await listenQuic(given()) });
  try {
    const found = await openPorts(attempt, {
      isAnyPort: port === 0,
      bounds: localPortBounds,
      onWaiting: waits ? onWaiting : null,
      isClosing: () => false,
    });
    if (found === null) return;
    const { opened, certificate } = found;
    if ('obstacle' in opened) {
      const reason = opened.obstacle;
      log('http3_unavailable', `HTTP/3 is off: ${reason}`, { reason });
      return endWith({ kind: 'listening', port: null });
    }
    endpoint = opened;
    inUse = certificate;
    report({ kind: 'listening', port: opened.port });
    if (given().certificate !== certificate) await replaceCertificate(given().certificate);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    endWith({ kind: 'failed', reason: listenProblem(code, { setting: 'http3Port', port, host }) });
  }
}
