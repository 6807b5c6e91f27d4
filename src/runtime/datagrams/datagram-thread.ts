/** Starts the thread for datagrams, starts it again when it ends unexpectedly, and ends it with the service. */
import { extname } from 'node:path';
import type { DatagramServerName } from '../../core/metrics.ts';
import type { Settings } from '../../core/settings.ts';
import type { QueryMessage, WaitMessage } from '../../edges/node/name-server.ts';
import { ProgramHost } from '../program/host.ts';
import { startThread } from '../program/start.ts';
import type { ThreadServices } from '../serving-thread.ts';
import type { Serving, ThreadStart } from '../threads/serving.ts';
import { openChannel } from './channel.ts';
import type { DatagramReport, DatagramRequest, DatagramStart, DnsStart, ServerStarts, StunStart } from './messages.ts';

// Its own name in the package, where all programs are in one folder.
const isSource = extname(import.meta.url) === '.ts';
const program = new URL(isSource ? './worker.ts' : './datagrams.js', import.meta.url);

/** Several times what a flood takes; a fault must not take the memory of the service. */
const resourceLimits = { maxOldGenerationSizeMb: 128 };

/** The ports by server. */
type Ports = Readonly<Partial<Record<DatagramServerName, number>>>;

/**
 * Returns `serving` extended by the thread for datagrams, with its ports. Throws an Error that names the setting if a port cannot
 * be opened, after closing what serves already.
 */
export async function withDatagrams(
  serving: Serving,
  { settings, bounds, sharedMemory }: Omit<ThreadStart, 'thread'>,
  { metrics, log, notice }: Pick<ThreadServices, 'log' | 'notice' | 'metrics'>,
): Promise<Serving & { readonly ports: Ports }> {
  let start: DatagramStart = {
    servers: { dns: dnsOf(settings), stun: stunOf(settings) },
    bounds,
    sharedMemory: { channelName: sharedMemory.channelName, threads: sharedMemory.threads },
    waitsForPorts: settings.reusePort,
  };
  let ports: Ports = {};
  const host = new ProgramHost<DatagramReport, DatagramRequest>({
    bounds,
    logs: { log, notice },
    metrics,
    start: (events) => startThread(program, { workerData: start, name: 'seenby datagrams', resourceLimits }, events),
    onReport(report) {
      if (report.kind !== 'listening') return;
      ports = report.ports;
      start = { ...start, servers: withPorts(start.servers, ports) };
    },
    onEnd: () => reportEnd(sharedMemory),
    describeFailedStart: (reason) => `the thread for DNS and STUN could not start: ${reason}`,
    logEnd(reason, seconds, next) {
      log('datagrams_ended', `the thread for DNS and STUN ended (${reason}); ${next}`, { reason, seconds });
    },
  });
  await host.open(serving.close);
  return {
    ...serving,
    ports,
    async update(update) {
      if (update.kind === 'drain') host.send({ kind: 'drain' });
      await serving.update(update);
    },
    // Until then, it answers queries for which requests wait.
    close: () => host.close(serving.close),
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
    storeAccess: store === null || secret === null ? null : { store, secret },
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

/** Chosen ports stay the same after a restart. */
const withPorts = ({ dns, stun }: ServerStarts, ports: Ports): ServerStarts => ({
  dns: dns && { ...dns, port: ports.dns ?? dns.port },
  stun: stun && { ...stun, port: ports.stun ?? stun.port },
});

/** Reports the end of the thread to those that serve. Opens each channel only for this message: an open one gets all messages. */
function reportEnd(sharedMemory: DatagramStart['sharedMemory']): void {
  for (let thread = 1; thread <= sharedMemory.threads; thread += 1) {
    const channel = openChannel<QueryMessage, WaitMessage>(sharedMemory, thread, () => {});
    channel.send({ kind: 'ended' });
    channel.close();
  }
}
