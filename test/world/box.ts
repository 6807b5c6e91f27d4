/** The one process inside a world's namespaces: hosts its servers and makes its requests, at the word of the test's process. */
import { readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setDefaultCACertificates } from 'node:tls';
import { ask } from './ask.ts';
import { type FaultName, faults } from './behaviours.ts';
import { createAuthority } from './certificates.ts';
import { dohSites } from './doh.ts';
import { rdapSites } from './rdap.ts';
import { rebindSite, startRebinding } from './rebinding.ts';
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
// What follows ends all other processes of this network: never the machine's own.
if (outside === '' || network === null || network === outside) throw new Error('only a world starts its box');

// Its parent is gone, perhaps already: nothing of the world may stay.
const leave = () => {
  endOthers();
  rmSync(folder, { recursive: true, force: true });
  process.exit();
};
if (process.connected) process.once('disconnect', leave);
else leave();

/** Kills whatever else runs in this network: only the world and its programs' children can. */
function endOthers(): void {
  const others = () =>
    readdirSync('/proc').filter(
      (pid) => /^\d+$/.test(pid) && pid !== String(process.pid) && networkOf(pid) === network,
    );
  // A process may have begun another meanwhile, and takes a moment to end.
  for (let pids = others(); pids.length > 0; pids = others()) {
    for (const pid of pids) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It has ended by itself.
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
  ask,
  arrivals: () => servers.arrivals(),
  decoyHits: () => servers.decoyHits(),
  change: (host: string, fault: FaultName | null) => servers.change(host, fault === null ? null : faults[fault]),
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
