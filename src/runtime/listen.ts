/** Opens the ports of the service. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { flagOf, type SettingName, type Settings, variableOf } from '../core/settings.ts';
import type { Bounds } from '../edges/node/limits/bounds.ts';

/** Port and address to listen on, and the setting that names the port. */
export interface Listening {
  readonly setting: SettingName;
  readonly port: number;
  /** null or ::: every IPv6 and IPv4 address, or only IPv4 if the machine has no IPv6. */
  readonly host: string | null;
  /** Whether other sockets of this user listen on the same port (SO_REUSEPORT). */
  readonly reusePort?: boolean;
}

/** Starts a server and returns its host and port; throws an Error that names the setting if it cannot listen. */
export async function listen(server: Server, listening: Listening, { backlog }: Bounds): Promise<string> {
  const { port, host, reusePort = false } = listening;
  // Without a host, Node listens on :: too, or on 0.0.0.0 if the kernel has no IPv6.
  server.listen({ port, backlog, reusePort, ...(host === null || host === '::' ? {} : { host }) });
  await once(server, 'listening').catch(({ code }: NodeJS.ErrnoException) => {
    throw new Error(listenProblem(code, listening));
  });
  return `${urlHostOf(host)}:${(server.address() as AddressInfo).port}`;
}

/** The host of a URL of this server: without the zone of an IPv6 address (fe80::1%eth0), which no URL can contain. */
export function urlHostOf(host: string | null): string {
  if (host === null) return 'localhost';
  return host.includes(':') ? `[${host.replace(/%.*/, '')}]` : host;
}

/** The settings of the address for ports that do not use HOST. */
const hostSettings: { readonly [Setting in SettingName]?: SettingName } = {
  metricsPort: 'metricsHost',
  dnsPort: 'dnsHost',
};

/** Returns a sentence that names the setting to change. */
export function listenProblem(code: string | undefined, { setting, port, host }: Listening): string {
  const variable = variableOf(setting);
  if (setting === 'dnsPort' && (code === 'EADDRINUSE' || code === 'EACCES'))
    return code === 'EACCES'
      ? `${variable}: not allowed to listen on port ${port}; grant CAP_NET_BIND_SERVICE, or redirect port ${port} to a port above 1023 and set that one`
      : `${variable}: port ${port} is in use at ${host}, often by systemd-resolved, dnsmasq or another name server; set DNS_HOST to addresses that the other server does not use`;
  if (code === 'EADDRINUSE') return `${variable}: port ${port} is in use; choose another with --${flagOf(setting)}`;
  if (code === 'ENOTSUP') return 'REUSE_PORT: this system cannot share ports; set it to off';
  if (code === 'EACCES')
    return `${variable}: not allowed to listen on port ${port}; choose one above 1023, or see docs/deploy/certificates.md`;
  const hostVariable = variableOf(hostSettings[setting] ?? 'host');
  return `${hostVariable}: cannot listen on "${host ?? ''}" (${code}); use an address of this machine`;
}

/** Throws an Error that names the setting if another process listens on a port. */
export async function checkPorts(settings: Settings, bounds: Bounds): Promise<void> {
  for (const setting of ['port', 'tlsPort'] as const) {
    const port = settings[setting];
    if (port === null || port === 0) continue;
    const server = createServer((socket) => socket.destroy());
    await listen(server, { setting, port, host: settings.host }, bounds);
    await new Promise((resolve) => server.close(resolve));
  }
}
