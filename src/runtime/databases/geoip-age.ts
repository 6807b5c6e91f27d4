/** The age of the databases: stated when they are old, and updated monthly if the operator enabled that. */
import type { Log } from '../../core/log.ts';
import type { Settings } from '../../core/settings.ts';
import { databaseKinds, type OpenGeoip } from '../../edges/node/geoip/geoip.ts';
import { runEvery } from '../clocks.ts';
import { settingOf } from './geoip-files.ts';
import { updateDatabase } from './geoip-update.ts';

const dayMs = 86_400_000;
const maxAgeDays = 60;
const updateAgeDays = 31;

const contents = { city: 'location', asn: 'ASN' } as const;

/** A sentence with the months of the data that is older than 60 days, in UTC; null if there is none. */
export function describeOldDatabases(geoip: Pick<OpenGeoip, 'builtAt'>, nowMs: number): string | null {
  const [first, ...rest] = databaseKinds.flatMap((kind) => {
    const builtAt = geoip.builtAt(kind);
    if (builtAt === null || nowMs - builtAt.getTime() <= maxAgeDays * dayMs) return [];
    return { content: contents[kind], month: monthOf(builtAt) };
  });
  if (first === undefined) return null;
  const others = rest.map(({ content, month }) => ` and the ${content} data from ${month}`);
  return `The ${first.content} data is from ${first.month}${others.join('')}.`;
}

const monthOf = (date: Date): string => date.toLocaleString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

interface MonthlyUpdate {
  readonly geoip: Pick<OpenGeoip, 'builtAt'>;
  readonly log: Log;
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

/**
 * Downloads a database in the background when the one in use is older than a month, at the first start and then daily. The file
 * watcher loads it. A database that GEOIP_CITY or GEOIP_ASN names is left alone. Logs one line per download or failure; after a failure
 * the old one stays in use. Returns the function that stops it.
 */
export function updateMonthly(settings: Settings, { geoip, log, now = Date.now }: MonthlyUpdate): () => void {
  const update = async (): Promise<void> => {
    for (const kind of databaseKinds) {
      // A download would never be used.
      if (settings[settingOf[kind]] !== null) continue;
      const builtAt = geoip.builtAt(kind);
      if (builtAt !== null && now() - builtAt.getTime() < updateAgeDays * dayMs) continue;
      await updateDatabase(settings, kind, { log, now: new Date(now()) }).then(
        (file) => log('downloaded', `downloaded the ${kind} database to ${file}`, { file }),
        (error: Error) => log('download_failed', error.message),
      );
    }
  };
  // One run at a time: the next is a day later, a stalled download fails after 30 seconds.
  const end = runEvery(dayMs, () => void update());
  void update();
  return end;
}
