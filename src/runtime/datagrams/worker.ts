/**
 * The program of the thread for datagrams. It serves DNS (over UDP and TCP) and STUN, at a lower priority than the threads that serve HTTP, so
 * that no flood delays a request. The kernel drops the datagrams that this thread does not read in time.
 */
import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { SettingName } from '../../core/settings.ts';
import type { QueryMessage, WaitMessage } from '../../edges/node/name-server.ts';
import { runEvery } from '../../native/ticks.ts';
import { listenProblem } from '../listen.ts';
import { Counts } from '../program/counts.ts';
import type { ReportOf, RequestOf } from '../program/host.ts';
import { createLogs } from '../program/logs.ts';
import { openChannel } from './channel.ts';
import type { ServerServices } from './dns.ts';
import type { Instances } from './instances.ts';
import type { DatagramReport, DatagramRequest, DatagramStart, ServerStarts } from './messages.ts';
import { type Waiter, WatchedIds } from './watched-ids.ts';

/** A server of the thread. */
interface DatagramServer {
  readonly port: number;
  /** Ends the server; queries that are arriving over TCP get this time. */
  close(withinMs: number): Promise<void>;
}

interface ServerRow<Start> {
  /** The setting of its port. */
  readonly setting: SettingName;
  open(start: Start, services: ServerServices): Promise<DatagramServer>;
}

/** Each is loaded only if it is on. */
const rows: { readonly [Name in keyof ServerStarts]: ServerRow<NonNullable<ServerStarts[Name]>> } = {
  dns: { setting: 'dnsPort', open: async (...given) => (await import('./dns.ts')).openDns(...given) },
  stun: { setting: 'stunPort', open: async (...given) => (await import('./stun.ts')).openStun(...given) },
};

const niceness = 10;
/** Interval between checks whether requests still wait, while another process takes over. */
const drainCheckMs = 50;

const port = parentPort;
if (port === null) throw new Error('only the service starts this program');
const report = (message: ReportOf<DatagramReport>): void => port.postMessage(message);
const { log, notice, waiting } = createLogs(report);

// On Linux, this sets the priority of the thread; elsewhere, it would set that of the process.
if (process.platform === 'linux') setPriority(0, niceness);

let isListening = false;
const { servers: starts, bounds, sharedMemory, waitsForPorts } = workerData as DatagramStart;
const channels = Array.from({ length: sharedMemory.threads }, (_, at) => {
  const channel = openChannel<QueryMessage, WaitMessage>(sharedMemory, at + 1, (message) => receive(channel, message));
  return channel;
});
const watched = new WatchedIds(bounds);
/** Null if no other instance serves the zone. */
let instances: Instances | null = null;

async function receive(channel: Waiter, message: WaitMessage): Promise<void> {
  if (message.kind === 'confirm') await instances?.confirm(message.id);
  watched.receive(channel, message);
  // A thread that has replaced another started later than this one.
  if (message.kind === 'hello' && isListening) channel.send({ kind: 'started' });
  instances?.announce(message);
}

const counts = new Counts();
runEvery(bounds.connectionCheckMs, () => counts.reportBy(report));

const onWaiting = (port: number): void =>
  waiting('datagrams_waiting', `waiting for port ${port}, which another process still has`, { port });

const opened: DatagramServer[] = [];
const closeAll = (withinMs: number): Promise<unknown> => Promise.all(opened.map((server) => server.close(withinMs)));

async function open<Name extends keyof ServerStarts>(name: Name): Promise<readonly [Name, number] | null> {
  const start = starts[name];
  if (start === null) return null;
  const { setting, open } = rows[name];
  const services: ServerServices = {
    bounds,
    log,
    notice,
    watched,
    onWaiting: waitsForPorts ? () => onWaiting(start.port) : null,
    count: counts.resultsOf(name),
    countRejection: (reason) => counts.countRejection(reason),
  };
  try {
    const server = await open(start, services);
    opened.push(server);
    return [name, server.port];
  } catch (error) {
    const { code, address = null } = error as NodeJS.ErrnoException & { readonly address?: string };
    if (code === undefined) throw error;
    report({ kind: 'failed', reason: listenProblem(code, { setting, port: start.port, host: address }) });
    process.exit(1);
  }
}

port.on('message', async (request: RequestOf<DatagramRequest>) => {
  if (request.kind === 'ping') report({ kind: 'pong' });
  else if (request.kind === 'close') {
    await closeAll(request.withinMs);
    process.exit();
  } else if (waitsForPorts) {
    // The pause is before the first check: a message to watch an id may still arrive, because it comes through another channel.
    do await delay(drainCheckMs);
    while (watched.hasOwn);
    isListening = false;
    await closeAll(0);
    // A request whose message arrived meanwhile gets an error: the other process receives its queries.
    for (const channel of channels) channel.send({ kind: 'ended' });
  }
});

const { storeAccess = null, zone = '' } = starts.dns ?? {};
if (storeAccess !== null) {
  const { joinInstances } = await import('./instances.ts');
  instances = await joinInstances({ ...storeAccess, zone }, { bounds, log, watched });
}
const ports = await Promise.all((Object.keys(rows) as (keyof ServerStarts)[]).map(open));
isListening = true;
for (const channel of channels) channel.send({ kind: 'started' });
report({ kind: 'listening', ports: Object.fromEntries(ports.filter((each) => each !== null)) });
