/** Converts the embedded ASN database before the first start. */
import type { Settings } from '../core/settings.ts';
import { convertAsn } from '../edges/node/geoip/embedded-asn.ts';
import { needsConversion } from '../edges/node/geoip/geoip-files.ts';
import { createProgressBar, type ProgressStream } from './progress-bar.ts';

/** Returns the database if it could not be stored in a file, otherwise null. A failure is printed; the service runs without ASN. */
export async function prepareAsn(settings: Settings, out: ProgressStream): Promise<Buffer | null> {
  if (!needsConversion(settings)) return null;
  const bar = createProgressBar(out);
  try {
    const conversion = await convertAsn(settings.dataDir, (done, total) =>
      bar.show('Converting the ASN database (once)', done, total),
    ).finally(bar.end);
    if (conversion === null) return null;
    if (conversion.warning !== null) out.write(`${conversion.warning}\n`);
    return conversion.file === null ? conversion.bytes : null;
  } catch (error) {
    out.write(`${error instanceof Error ? error.message : error}\n`);
    return null;
  }
}

/** `seenby geo build`: converts the embedded ASN database into the data folder; throws an Error if that fails. */
export async function buildAsn({ dataDir }: Settings, out: ProgressStream): Promise<void> {
  const conversion = await convertAsn(dataDir, () => {});
  if (conversion === null) throw new Error('the embedded ASN data is not installed; use geo update');
  if (conversion.file === null) throw new Error(conversion.warning ?? 'the data folder is not writable');
  out.write(`wrote ${conversion.file}\n`);
}
