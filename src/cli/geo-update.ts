/** `seenby geo update`: downloads the current city and ASN databases. */
import type { Settings } from '../core/settings.ts';
import { updateDatabase } from '../edges/node/geoip/geoip-update.ts';
import { createProgressBar, type ProgressStream } from './progress-bar.ts';

const stallTimeoutMs = 30_000;

export async function geoUpdate(settings: Settings, out: ProgressStream): Promise<void> {
  for (const kind of ['city', 'asn'] as const) {
    const bar = createProgressBar(out);
    const log = (line: string): unknown => out.write(`${line}\n`);
    const download = { progress: bar.show, now: new Date(), stallTimeoutMs, log };
    const file = await updateDatabase(settings, kind, download).finally(bar.end);
    out.write(`wrote ${file}\n`);
  }
}
