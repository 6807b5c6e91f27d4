/** A certificate authority for tests: Debian's pebble, with a DNS server and ports that lead to the service under test. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { decode, encode, type Packet } from 'dns-packet';
import { createLocalhostCertificate } from '../../../src/runtime/certificate.ts';
import { findFreePort } from '../../free-port.ts';

/** The reason to skip these tests; false if pebble is installed. In CI, a missing program is an error of the test. */
export const skip: string | false =
  spawnSync('pebble', ['-h']).error === undefined || process.env.CI ? false : 'needs pebble (apt-get install pebble)';

/** A port that leads to another one, or to none. */
export interface Relay {
  readonly port: number;
  /** Leads new connections to this port; null: closes them, and those that are open. */
  leadTo(port: number | null): void;
  /** Connections so far. */
  accepted(): number;
}

export interface Authority {
  readonly directoryUrl: string;
  /** The certificate of the directory's server, for NODE_EXTRA_CA_CERTS. */
  readonly caFile: string;
  /** The ports 80 and 443 of the domains. */
  readonly http: Relay;
  readonly tls: Relay;
  /** Names that resolve, to this machine. */
  readonly names: Set<string>;
  /** Makes the authority unreachable, or reachable. */
  connect(isConnected: boolean): void;
  /** Orders so far, from the log of the authority. */
  orders(): number;
  /** Accounts that exist, from the log of the authority. */
  accounts(): number;
  end(): Promise<void>;
}

/** Authorities without those of earlier tests: all of those have the same subject, so only one could be found. */
const trusted = getCACertificates('default');

export interface AuthorityOptions {
  /** Lifetime of the certificates. */
  readonly validitySeconds?: number;
  /** Percent of valid nonces that are rejected. */
  readonly rejectedNonces?: number;
  /** HMAC keys in Base64url by their identifiers, one of which each new account requires (external account binding). */
  readonly accountKeys?: Readonly<Record<string, string>>;
  /** Lets requests wait until the authority is made reachable. */
  readonly waits?: boolean;
  /** Address on which the ports of the domains listen. */
  readonly host?: string;
}

/** The example of RFC 9773, Appendix A; §4.1 states its identifier. */
export const exampleOfRfc9773 = {
  pem: `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----
`,
  id: 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE',
};

export async function startAuthority({
  validitySeconds = 90 * 86_400,
  rejectedNonces = 0,
  accountKeys,
  waits = false,
  host = '127.0.0.1',
}: AuthorityOptions = {}): Promise<Authority> {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-pebble-'));
  const [http, tls, api] = await Promise.all([startRelay(null, host), startRelay(null, host), startRelay()]);
  const names = new Set<string>();
  const dns = await startDns(names);
  const { cert, key } = await createLocalhostCertificate();
  setDefaultCACertificates([...trusted, cert]);
  const certificate = join(folder, 'cert.pem');
  const privateKey = join(folder, 'key.pem');
  writeFileSync(certificate, cert);
  writeFileSync(privateKey, key);
  const { child, port, log } = await startPebble(folder, dns.address().port, rejectedNonces, {
    certificate,
    privateKey,
    httpPort: http.relay.port,
    tlsPort: tls.relay.port,
    certificateValidityPeriod: validitySeconds,
    externalAccountBindingRequired: accountKeys !== undefined,
    externalAccountMACKeys: accountKeys ?? {},
  });
  if (!waits) api.relay.leadTo(port);
  return {
    caFile: certificate,
    directoryUrl: `https://127.0.0.1:${api.relay.port}/dir`,
    http: http.relay,
    tls: tls.relay,
    names,
    connect: (isConnected) => api.relay.leadTo(isConnected ? port : null),
    orders: () => log().match(/POST \/order-plz -> /g)?.length ?? 0,
    accounts: () => Number([...log().matchAll(/There are now (\d+) accounts/g)].at(-1)?.[1] ?? 0),
    async end() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
      dns.close();
      for (const { end } of [http, tls, api]) end();
      await rm(folder, { recursive: true });
    },
  };
}

async function startPebble(folder: string, dnsPort: number, rejectedNonces: number, options: object) {
  // Pebble cannot choose a port itself, and another program may take the free one that was found first.
  for (let attempts = 1; ; attempts += 1) {
    const port = await findFreePort();
    const config = join(folder, 'config.json');
    const listening = { listenAddress: `127.0.0.1:${port}`, managementListenAddress: '' };
    writeFileSync(config, JSON.stringify({ pebble: { ...listening, ...options } }));
    const child = spawn('pebble', ['-config', config, '-dnsserver', `127.0.0.1:${dnsPort}`], {
      env: {
        PEBBLE_VA_NOSLEEP: '1',
        PEBBLE_AUTHZREUSE: '0',
        PEBBLE_WFE_NONCEREJECT: String(rejectedNonces),
      },
    });
    let log = '';
    const keep = (chunk: Buffer): void => {
      log += chunk;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    if (await isReady(child, port)) return { child, port, log: () => log };
    if (attempts === 5) throw new Error(`pebble does not start: ${log}`);
  }
}

/** Whether the process listens before it ends. */
async function isReady(child: ChildProcess, port: number): Promise<boolean> {
  let isRunning = true;
  child.once('exit', () => {
    isRunning = false;
  });
  child.once('error', () => {
    isRunning = false;
  });
  while (isRunning) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return isRunning;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

/** Resolves the names to 127.0.0.1; other names do not exist. */
async function startDns(names: ReadonlySet<string>) {
  const socket = createSocket('udp4');
  socket.on('message', (bytes, { port, address }) => {
    const { id, questions = [] } = decode(bytes);
    const name = questions[0]?.name ?? '';
    const isKnown = names.has(name.toLowerCase());
    const response: Packet = {
      type: 'response',
      ...(id !== undefined && { id }),
      questions,
      flags: isKnown ? 0 : 3,
      answers: isKnown && questions[0]?.type === 'A' ? [{ type: 'A', name, ttl: 0, data: '127.0.0.1' }] : [],
    };
    socket.send(encode(response), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

/** Without a target, connections wait until there is one. */
async function startRelay(target?: number | null, host = '127.0.0.1'): Promise<{ readonly relay: Relay; end(): void }> {
  const open = new Set<Socket>();
  const waiting: Socket[] = [];
  let accepted = 0;
  const track = (socket: Socket): void => {
    open.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
  };
  const closeAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  const server = createServer((socket) => {
    accepted += 1;
    track(socket);
    if (target === undefined) waiting.push(socket);
    else lead(socket, target);
  });
  const lead = (socket: Socket, port: number | null): void => {
    if (port === null) {
      socket.destroy();
      return;
    }
    const further = connect(port, '127.0.0.1');
    track(further);
    socket.pipe(further).pipe(socket);
    socket.on('close', () => further.destroy());
    further.on('close', () => socket.destroy());
  };
  server.listen(0, host);
  await once(server, 'listening');
  const relay: Relay = {
    port: (server.address() as AddressInfo).port,
    leadTo(port) {
      target = port;
      for (const socket of waiting.splice(0)) lead(socket, port);
      if (port === null) closeAll();
    },
    accepted: () => accepted,
  };
  return {
    relay,
    end() {
      server.close();
      closeAll();
    },
  };
}
