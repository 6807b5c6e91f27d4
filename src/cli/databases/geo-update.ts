/** `seenby geo update`: downloads the current city and ASN databases. */
import type { Settings } from '../../core/settings.ts';
import { updateDatabase } from '../../runtime/databases/geoip-update.ts';
import { createLog } from '../../runtime/log.ts';
import { createProgressBar, type ProgressStream } from './progress-bar.ts';

export async function geoUpdate(settings: Settings, out: ProgressStream): Promise<void> {
  const log = createLog({ format: 'plain', level: 'info', write: (line) => out.write(`${line}\n`) });
  for (const kind of ['city', 'asn'] as const) {
    const bar = createProgressBar(out);
    const download = { progress: bar.show, now: new Date(), log };
    const file = await updateDatabase(settings, kind, download).finally(bar.end);
    out.write(`wrote ${file}\n`);
  }
}
