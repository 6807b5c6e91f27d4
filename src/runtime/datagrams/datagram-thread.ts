/** Starts the thread for datagrams, starts it again when it ends unexpectedly, and ends it with the service. */
import { extname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { failureOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { DatagramServerName, Metrics } from '../../core/metrics.ts';
import type { Settings } from '../../core/settings.ts';
import type { QueryMessage, WaitMessage } from '../../edges/node/name-server.ts';
import { createBackOff } from '../clocks.ts';
import type { Serving, ThreadStart } from '../threads/serving.ts';
import { watchThread } from '../threads/supervisor.ts';
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
 * Returns what serves datagrams besides the protocols of `serving`, with the ports. Throws an Error that names the setting if a port cannot
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
  readonly #services: Services;
  readonly #backOff: ReturnType<typeof createBackOff>;
  /** To the threads that serve. */
  readonly #links: readonly { send(message: QueryMessage): void; close(): void }[];
  #worker: Worker | null = null;
  #ended: Promise<string> | null = null;
  #isClosing = false;

  constructor(start: DatagramStart, services: Services) {
    this.#start = start;
    this.#services = services;
    this.#backOff = createBackOff(start.bounds);
    const { threads } = start.limitMemory;
    this.#links = Array.from({ length: threads }, (_, at) =>
      openLink<QueryMessage, WaitMessage>(start.limitMemory, at + 1, () => {}),
    );
  }

  /** Starts the thread; returns its first report about the ports. */
  async launch(): Promise<DatagramReport> {
    const startedMs = performance.now();
    const first = Promise.withResolvers<DatagramReport>();
    const ended = Promise.withResolvers<string>();
    const worker = new Worker(program, { workerData: this.#start, name: 'seenby datagrams', resourceLimits });
    let failure: string | null = null;
    // One for all pings that wait; any message shows that its event loop runs.
    let reported = Promise.withResolvers<void>();
    worker.on('message', (report: DatagramReport) => {
      reported.resolve();
      reported = Promise.withResolvers();
      if (report.kind === 'log' || report.kind === 'notice') this.#services[report.kind](...report.args);
      else if (report.kind === 'counts') this.#count(report);
      else if (report.kind !== 'pong') {
        if (report.kind === 'listening') this.#keepPorts(report.ports);
        if (report.kind === 'failed') failure = report.reason;
        first.resolve(report);
      }
    });
    worker.on('error', (error) => {
      failure = failureOf(error);
    });
    worker.on('exit', (code) => ended.resolve(failure ?? `exit code ${code}`));
    this.#worker = worker;
    this.#ended = ended.promise;
    const ping = (): Promise<void> => {
      this.send({ kind: 'ping' });
      return reported.promise;
    };
    const watched = { listening: first.promise, ended: ended.promise, ping };
    watchThread(watched, this.#start.bounds.threadTimeoutMs, () => void worker.terminate());
    void ended.promise.then((reason) => {
      for (const link of this.#links) link.send({ kind: 'ended' });
      first.resolve({ kind: 'failed', reason: `the thread for DNS and STUN could not start: ${reason}` });
      return this.#restart(reason, startedMs);
    });
    return first.promise;
  }

  send(request: DatagramRequest): void {
    // Does nothing after the end.
    this.#worker?.postMessage(request);
  }

  /** Ends the thread when the service has ended its requests, which it observes until then. */
  async close(endRequests: () => Promise<void>): Promise<void> {
    this.#isClosing = true;
    const startedMs = performance.now();
    await endRequests();
    const elapsedMs = performance.now() - startedMs;
    this.send({ kind: 'close', withinMs: Math.max(0, this.#start.bounds.closeTimeoutMs - elapsedMs) });
    await this.#ended;
    for (const link of this.#links) link.close();
  }

  #count({ results, rejections }: Extract<DatagramReport, { kind: 'counts' }>): void {
    const { metrics } = this.#services;
    for (const [server, counts] of Object.entries(results))
      for (const [result, count] of counts) metrics?.countResult(server as DatagramServerName, result, count);
    for (const [reason, count] of rejections) metrics?.countRejection(reason, count);
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

  async #restart(reason: string, startedMs: number): Promise<void> {
    if (this.#isClosing) return;
    const pauseMs = this.#backOff(performance.now() - startedMs);
    const seconds = pauseMs / 1000;
    const message = `the thread for DNS and STUN ended (${reason}); starting it again in ${seconds} seconds`;
    this.#services.log('datagrams_ended', message, { reason, seconds });
    await delay(pauseMs, undefined, { ref: false });
    if (!this.#isClosing) await this.launch();
  }
}
