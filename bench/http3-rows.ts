/** The rows over HTTP/3, beside Caddy: visits that come alone, and requests together on one connection, by ngtcp2's client. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Load } from './load-clients.ts';
import { repeatVisits } from './lone-load.ts';
import { peers, startPeer } from './peer-servers.ts';
import { clientAddress, type ServerProcess, startServer } from './process.ts';
import type { Row } from './row.ts';

const run = promisify(execFile);

/** Each connection is that of a new process, which sends so many requests for /json together. */
function createHttp3Load({ ports }: ServerProcess, streams: number): Load {
  const port = `${ports.http3}`;
  const options = ['--no-quic-dump', '--no-http-dump', '--exit-on-all-streams-close', `--nstreams=${streams}`];
  const args = [...options, clientAddress, port, `https://localhost:${port}/json`];
  const visit = async (): Promise<void> => {
    const { stdout, stderr } = await run('gtlsclient', args, { maxBuffer: 2 ** 24 });
    const responses = `${stdout}${stderr}`.match(/:status: 200/g)?.length;
    if (responses !== streams) throw new Error(`port ${port}: ${responses} of ${streams} responses`);
  };
  return repeatVisits(visit, streams);
}

/** Until V8 has optimized most code of both processes: each request takes several times as long before. */
const requestsBefore = 20_000;

/** A server that has been visited, as the service of the other rows is. */
async function visitFirst(starting: Promise<ServerProcess>): Promise<ServerProcess> {
  const server = await starting;
  const load = createHttp3Load(server, 90);
  let count = 0;
  while (count < requestsBefore) count += (await load.run(500)).count;
  load.close();
  return server;
}

const http3Row = (streams: number): Row => ({
  needs: ['gtlsclient', peers.Caddy.command],
  comparedWith: 'Caddy 2.6, which responds with its variables',
  startLoad: (server) => createHttp3Load(server, streams),
  timing: { rounds: 11, warmMs: 500, roundMs: 700 },
  startService: (folder) => visitFirst(startServer({ role: 'service', hasHttp3: true }, folder)),
  startBare: () => visitFirst(startPeer(peers.Caddy)),
});

export const http3Rows = { 'visit-alone-http3': http3Row(1), 'http3-streams': http3Row(90) } as const;
