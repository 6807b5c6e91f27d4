/** The DNS server of the laboratory: unbound, with the CAA records of its hosts. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Platform } from '../../../../../src/core/platform.ts';
import type { LaboratoryHost } from './servers.ts';

/** Starts it; returns what ends it. */
export async function startNameServer(folder: string, hosts: readonly LaboratoryHost[]) {
  const lines = hosts.flatMap(({ host, caa }) =>
    caa === null
      ? [`local-zone: "${host}." refuse`]
      : Object.entries(caa ?? {}).flatMap(([name, records]) =>
          records.map((record) => `local-data: '${name}. 60 IN CAA ${record}'`),
        ),
  );
  const file = join(folder, 'unbound.conf');
  // With half of its ten connections in use, unbound closes one whose query does not arrive within 0.3 s, which a busy machine may exceed.
  writeFileSync(
    file,
    `server:
  interface: 127.0.0.1
  username: ""
  chroot: ""
  directory: "${folder}"
  pidfile: ""
  use-syslog: no
  do-daemonize: no
  incoming-num-tcp: 100
  local-zone: "lab." static
  ${lines.join('\n  ')}
remote-control:
  control-enable: no
`,
  );
  const server = spawn('unbound', ['-d', '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const line of createInterface(server.stderr)) if (line.includes('start of service')) break;
  server.stderr.resume();
  if (server.exitCode !== null) throw new Error('no name server');
  return () => server.kill();
}

/** Sends queries to it over TCP, where a length precedes each message (RFC 1035 §4.2.2), instead of DNS over HTTPS. */
export const queryNameServer: Platform['fetch'] = async ({ body }) => {
  const query = body ?? new Uint8Array();
  const socket = connect(53, '127.0.0.1');
  socket.write(Buffer.from([query.length >> 8, query.length & 0xff, ...query]));
  let received = Buffer.alloc(0);
  for await (const piece of socket) {
    received = Buffer.concat([received, piece]);
    if (received.length >= 2 && received.length >= 2 + received.readUInt16BE()) break;
  }
  const headers = { 'content-type': 'application/dns-message' };
  return { status: 200, headers, setCookies: [], body: received.subarray(2) };
};
