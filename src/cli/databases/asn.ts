/** Converts the embedded ASN database before the first start. */
import type { Log } from '../../core/log.ts';
import type { Settings } from '../../core/settings.ts';
import { convertAsn } from '../../runtime/databases/embedded-asn.ts';
import { geoipFiles } from '../../runtime/databases/geoip-files.ts';
import { createProgressBar, type ProgressStream } from './progress-bar.ts';

const progressText = 'Converting the ASN database (once)';

/**
 * Returns the database if it could not be stored in a file, otherwise null. A failure is logged; the service runs without ASN.
 * `terminal` shows the progress; if it is null, one log line announces the conversion.
 */
export async function prepareAsn(
  settings: Settings,
  log: Log,
  terminal: ProgressStream | null,
): Promise<Buffer | null> {
  if (geoipFiles(settings)('asn') !== null) return null;
  const bar = terminal && createProgressBar(terminal);
  if (bar === null) log('asn_conversion', progressText);
  try {
    const show = (done: number, total: number): void => bar?.show(progressText, done, total);
    const conversion = await convertAsn(settings.dataDir, show).finally(() => bar?.end());
    if (conversion === null || 'file' in conversion) return null;
    log('asn_not_stored', conversion.warning);
    return conversion.bytes;
  } catch (error) {
    log('asn_conversion_failed', error instanceof Error ? error.message : String(error));
    return null;
  }
}

/** `seenby geo build`: converts the embedded ASN database into the data folder; throws an Error if that fails. */
export async function buildAsn({ dataDir }: Settings, out: ProgressStream): Promise<void> {
  const conversion = await convertAsn(dataDir, () => {});
  if (conversion === null) throw new Error('the embedded ASN data is not installed; use geo update');
  if ('warning' in conversion) throw new Error(conversion.warning);
  out.write(`wrote ${conversion.file}\n`);
}
