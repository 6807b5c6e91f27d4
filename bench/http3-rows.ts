/** The rows over HTTP/3, beside Caddy: visits that come alone, and requests together on one connection, by ngtcp2's client. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { repeatVisits } from './lone-load.ts';
import { peers, startPeer } from './peer-servers.ts';
import { clientAddress, type ServerProcess, startServer } from './process.ts';
import type { Row } from './row.ts';

const run = promisify(execFile);
/** Of ngtcp2. */
const client = 'gtlsclient';

/** The command of a visit: a new process sends so many requests for /json together on one connection. */
function commandOf({ ports }: ServerProcess, streams: number): readonly [string, ...string[]] {
  const port = `${ports.http3}`;
  const options = ['--no-quic-dump', '--no-http-dump', '--exit-on-all-streams-close', `--nstreams=${streams}`];
  return [client, ...options, clientAddress, port, `https://localhost:${port}/json`];
}

function createVisit(server: ServerProcess, streams: number): () => Promise<void> {
  const [command, ...args] = commandOf(server, streams);
  return async () => {
    const { stdout, stderr } = await run(command, args, { maxBuffer: 2 ** 24 });
    const responses = `${stdout}${stderr}`.match(/:status: 200/g)?.length;
    if (responses !== streams) throw new Error(`port ${server.ports.http3}: ${responses} of ${streams} responses`);
  };
}

/**
 * The times and requests of visits before the service is measured. V8 optimizes a function after 3,000 calls, and a connection calls many
 * functions once. A quiet instance has had so many visits after an hour. Compiled servers need a few.
 */
const visitsBefore = {
  service: [
    [300, 90],
    [3_000, 1],
    [1_000, 30],
  ],
  compiled: [[50, 8]],
} as const;
/** One process starts all of these clients: this one would take several times as long to start each. */
const repeated = 'left=$1; shift; while [ "$left" -gt 0 ]; do "$@" >/dev/null 2>&1 || exit 1; left=$((left - 1)); done';

/** A server that has been visited, as the service of the other rows is. */
async function visitFirst(starting: Promise<ServerProcess>, kind: keyof typeof visitsBefore): Promise<ServerProcess> {
  const server = await starting;
  for (const [times, streams] of visitsBefore[kind])
    await run('sh', ['-c', repeated, 'sh', `${times}`, ...commandOf(server, streams)]);
  return server;
}

const http3Row = (streams: number): Row => ({
  needs: [client, peers.Caddy.command],
  comparedWith: 'Caddy 2.6, which responds with its variables',
  startLoad: (server) => repeatVisits(createVisit(server, streams), streams),
  timing: { rounds: 11, warmMs: 500, roundMs: 700 },
  startService: (folder) => visitFirst(startServer({ role: 'service', hasHttp3: true }, folder), 'service'),
  startBare: () => visitFirst(startPeer(peers.Caddy), 'compiled'),
});

export const http3Rows = { 'visit-alone-http3': http3Row(1), 'http3-streams': http3Row(90) } as const;
