/** Starts the thread for datagrams, starts it again when it ends unexpectedly, and ends it with the service. */
import { extname } from 'node:path';
import type { Log } from '../../core/log.ts';
import type { DatagramServerName, Metrics } from '../../core/metrics.ts';
import type { Settings } from '../../core/settings.ts';
import type { QueryMessage, WaitMessage } from '../../edges/node/name-server.ts';
import { ProgramHost } from '../program/host.ts';
import { startThread } from '../program/start.ts';
import type { Serving, ThreadStart } from '../threads/serving.ts';
import { openLink } from './link.ts';
import type { DatagramReport, DatagramRequest, DatagramStart, DnsStart, StunStart } from './messages.ts';

// Its own name in the package, where all programs are in one folder.
const isSource = extname(import.meta.url) === '.ts';
const program = new URL(isSource ? './worker.ts' : './datagrams.js', import.meta.url);

/** Several times what a flood takes; a fault must not take the memory of the service. */
const resourceLimits = { maxOldGenerationSizeMb: 128 };

interface Services {
  readonly log: Log;
  /** Logs at most once a minute. */
  readonly notice: Log;
  readonly metrics: Metrics | null;
}

/** The ports by server. */
type Ports = Readonly<Partial<Record<DatagramServerName, number>>>;

/**
 * Returns `serving` extended by the thread for datagrams, with its ports. Throws an Error that names the setting if a port cannot
 * be opened, after closing what serves already.
 */
export async function withDatagrams(
  serving: Serving,
  { settings, bounds, limitMemory }: Omit<ThreadStart, 'thread'>,
  services: Services,
): Promise<Serving & { readonly ports: Ports }> {
  const start: DatagramStart = {
    servers: { dns: dnsOf(settings), stun: stunOf(settings) },
    bounds,
    limitMemory: { channel: limitMemory.channel, threads: limitMemory.threads },
    waitsForPorts: settings.reusePort,
  };
  const thread = new DatagramThread(start, services);
  const first = await thread.launch();
  if (first.kind === 'failed') {
    await thread.close(serving.close);
    throw new Error(first.reason);
  }
  return {
    ...serving,
    ports: thread.ports,
    async update(update) {
      if (update.kind === 'drain') thread.send({ kind: 'drain' });
      await serving.update(update);
    },
    close: () => thread.close(serving.close),
  };
}

function dnsOf(settings: Settings): DnsStart | null {
  const { dnsZone, dnsNameServers, dnsAddresses, dnsPort, dnsHost, host, http3Port, publicUrl, rateLimitDns } =
    settings;
  const { rateLimitStore: store, rateLimitSecret: secret } = settings;
  if (dnsZone === null) return null;
  return {
    zone: dnsZone,
    nameServers: dnsNameServers,
    addresses: dnsAddresses,
    host: publicUrl === null ? null : new URL(publicUrl).hostname,
    port: dnsPort,
    listenOn: dnsHost.length === 0 && host !== null ? [host] : dnsHost,
    otherPorts: present(http3Port, ...stunPortsOf(settings)),
    responsesPerSecond: rateLimitDns,
    shared: store === null || secret === null ? null : { store, secret },
  };
}

function stunOf(settings: Settings): StunStart | null {
  const { stunPort, stunMappingTest, host, dnsZone, dnsPort, http3Port, rateLimitStun } = settings;
  if (stunPort === null) return null;
  return {
    port: stunPort,
    hasMappingPort: stunMappingTest,
    listenOn: host === null ? [] : [host],
    otherPorts: present(http3Port, dnsZone === null ? null : dnsPort),
    responsesPerSecond: rateLimitStun,
  };
}

const stunPortsOf = ({ stunPort, stunMappingTest }: Settings): readonly (number | null)[] =>
  stunPort !== null && stunMappingTest ? [stunPort, stunPort + 1] : [stunPort];

const present = (...ports: readonly (number | null)[]): readonly number[] => ports.filter((port) => port !== null);

class DatagramThread {
  /** The port or ports, as the system chose them; set once it listens. */
  ports: Ports = {};
  #start: DatagramStart;
  readonly #metrics: Metrics | null;
  readonly #host: ProgramHost<DatagramReport, DatagramRequest>;

  constructor(start: DatagramStart, { metrics, ...logs }: Services) {
    this.#start = start;
    this.#metrics = metrics;
    this.#host = new ProgramHost<DatagramReport, DatagramRequest>({
      bounds: start.bounds,
      logs,
      start: (events) =>
        startThread(program, { workerData: this.#start, name: 'seenby datagrams', resourceLimits }, events),
      onReport: (report) => {
        if (report.kind === 'counts') this.#count(report);
        else if (report.kind === 'listening') this.#keepPorts(report.ports);
      },
      onEnd: () => reportEnd(start.limitMemory),
      describeFailedStart: (reason) => ({
        kind: 'failed',
        reason: `the thread for DNS and STUN could not start: ${reason}`,
      }),
      logEnd(reason, seconds, next) {
        logs.log('datagrams_ended', `the thread for DNS and STUN ended (${reason}); ${next}`, { reason, seconds });
      },
    });
  }

  /** Starts the thread; returns its first report about the ports. */
  launch(): Promise<DatagramReport> {
    return this.#host.launch();
  }

  send(request: DatagramRequest): void {
    this.#host.send(request);
  }

  /** Ends the thread when the service has ended its requests, for which it answers queries until then. */
  close(endRequests: () => Promise<void>): Promise<void> {
    return this.#host.close(endRequests);
  }

  #count({ results, rejections }: Extract<DatagramReport, { kind: 'counts' }>): void {
    for (const [server, counts] of Object.entries(results))
      for (const [result, count] of counts) this.#metrics?.countResult(server as DatagramServerName, result, count);
    for (const [reason, count] of rejections) this.#metrics?.countRejection(reason, count);
  }

  /** Chosen ports stay the same after a restart. */
  #keepPorts(ports: Ports): void {
    this.ports = ports;
    const { dns, stun } = this.#start.servers;
    const servers = {
      dns: dns && { ...dns, port: ports.dns ?? dns.port },
      stun: stun && { ...stun, port: ports.stun ?? stun.port },
    };
    this.#start = { ...this.#start, servers };
  }
}

/** Reports the end of the thread to those that serve. Opens each link only for this message: an open one gets all messages. */
function reportEnd(limitMemory: DatagramStart['limitMemory']): void {
  for (let thread = 1; thread <= limitMemory.threads; thread += 1) {
    const link = openLink<QueryMessage, WaitMessage>(limitMemory, thread, () => {});
    link.send({ kind: 'ended' });
    link.close();
  }
}
