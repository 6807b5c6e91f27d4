/**
 * The service beside nginx and Caddy, in pairs: `npm run bench -- peers`. They respond with what their variables know of the request,
 * without a database, a parsed User-Agent or the ClientHello, so this is not equal work; it shows what the rest costs.
 */
import { peers, startPeer } from './peer-servers.ts';
import { isAvailable, startServer } from './process.ts';
import { median, microseconds, printLine, printMarkdown, printTable, residentOf, spread } from './report.ts';
import { compare } from './rounds.ts';
import { rows } from './rows.ts';

const compared = [
  'visit-json',
  'visit-ip',
  'json-tls',
  'json',
  'json-http2',
  'visit-alone',
  'visit-alone-tls',
  'visit-alone-http2',
] as const;

/** Each pair has fresh processes: several servers in turn on one core cost the largest one most. */
export async function comparePeers(): Promise<void> {
  printLine('\nCPU time per request beside other servers, which observe less; busy: the share of a core');
  const table: string[][] = [];
  for (const [name, peer] of Object.entries(peers)) {
    if (!isAvailable(peer.command)) {
      printLine(`  ${name} is not installed and is left out.`);
      continue;
    }
    for (const key of compared) {
      const row = rows[key];
      const service = await startServer({ role: 'service' });
      const other = await startPeer(peer);
      const sides = [service, other].map((server) => ({ server, load: row.startLoad(server) }));
      const { cpuUs, cpuRatios, busy } = await compare(sides as [(typeof sides)[0], (typeof sides)[0]], row.timing);
      const resident = residentOf([service, other]);
      service.stop();
      other.stop();
      const ratio = `${median(cpuRatios).toFixed(1)} (${spread(cpuRatios, 1)})`;
      table.push([
        key,
        name,
        ...cpuUs.map(microseconds),
        ratio,
        busy.map((each) => each.toFixed(2)).join(' '),
        resident,
      ]);
    }
  }
  const columns = ['', 'beside', 'Seenby', 'other', 'times the CPU', 'busy', 'resident'];
  printTable([columns, ...table]);
  printMarkdown(columns, table);
}
