/** The process inside the namespaces of a simulated internet: runs its servers and sends its requests, controlled by the test's process. */
import { readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setDefaultCACertificates } from 'node:tls';
import { createAuthority } from './certificates.ts';
import { type DohFaultName, dohFaults, dohSites } from './doh.ts';
import { rdapSites } from './rdap.ts';
import { rebindSite, startRebinding } from './rebinding.ts';
import { sendRequest } from './request.ts';
import { signZones, startResolver } from './resolver.ts';
import { startServers } from './servers.ts';
import type { Site } from './site.ts';
import { sites as ordinarySites } from './sites.ts';

const [folder = '', fixtures = '', outside = ''] = process.argv.slice(2);

const networkOf = (pid: string): string | null => {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return null;
  }
};
const network = networkOf('self');
// The code below ends all other processes of this network, so it must not be the machine's own.
if (outside === '' || network === null || network === outside)
  throw new Error('this must run in the namespaces of a simulated internet');

// If the parent ends, nothing of the simulated internet may remain.
const leave = () => {
  endOthers();
  rmSync(folder, { recursive: true, force: true });
  process.exit();
};
if (process.connected) process.once('disconnect', leave);
else leave();

/** Kills all other processes in this network: the programs of the simulated internet and their children. */
function endOthers(): void {
  const others = () =>
    readdirSync('/proc').filter(
      (pid) => /^\d+$/.test(pid) && pid !== String(process.pid) && networkOf(pid) === network,
    );
  // A process may start another meanwhile, and takes a moment to end.
  for (let pids = others(); pids.length > 0; pids = others()) {
    for (const pid of pids) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It already ended.
      }
    }
  }
}

const sites: readonly Site[] = [...ordinarySites, ...dohSites, ...rdapSites(fixtures), rebindSite].map((site, n) => ({
  addresses: [`23.216.${n >> 8}.${n & 255}`],
  ...site,
}));

const [authority] = await Promise.all([createAuthority(), signZones(folder), startRebinding()]);
writeFileSync(join(folder, 'ca.pem'), authority.certificate);
setDefaultCACertificates([authority.certificate]);
const [servers] = await Promise.all([startServers(sites, authority), startResolver(folder, sites, authority)]);

const orders = {
  sendRequest,
  arrivals: () => servers.arrivals(),
  decoyHits: () => servers.decoyHits(),
  change: (host: string, fault: DohFaultName | null) => servers.change(host, fault === null ? null : dohFaults[fault]),
};
export type Orders = typeof orders;

process.on('message', async ({ id, order, args }: { id: number; order: keyof Orders; args: never[] }) => {
  try {
    process.send?.({ id, value: await (orders[order] as (...args: never[]) => unknown)(...args) });
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    process.send?.({ id, error: { message, code } });
  }
});
process.send?.({ id: 0, value: null });
