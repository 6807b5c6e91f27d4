/** Reloads the operator's certificate and the databases when their files change, and all of them on request. */
import { statSync } from 'node:fs';
import type { Log } from '../core/log.ts';
import type { Settings } from '../core/settings.ts';
import { type DatabaseKind, databaseKinds, type OpenGeoip } from '../edges/node/geoip/geoip.ts';
import { collectGarbage } from '../native/garbage.ts';
import { runEvery } from '../native/ticks.ts';
import { type Certificate, readCertificate } from './certificate.ts';
import { describeMissingDomains, describeWeaknesses, replacementProblem } from './certificate-chain.ts';
import { watchedFiles } from './databases/geoip-files.ts';
import type { ThreadUpdate } from './threads/serving.ts';

/** Files, and text that differs when one of them has changed. */
interface FileState {
  readonly files: readonly string[];
  readonly state: string;
}

/** To be called before the files are read: a change while they are read must not be missed. */
export const stateOf = (files: readonly string[]): FileState => ({ files, state: describeFiles(files) });

/** Checks the files in this interval. */
export function createReloads(intervalMs: number, log: Log) {
  const all: { readonly check: () => void; readonly reload: () => Promise<void> }[] = [];
  // Not watchFile: it reads a file's first state later, and misses a change before that.
  const end = runEvery(intervalMs, () => {
    for (const { check } of all) check();
  });
  return {
    /**
     * Calls `load` when one of the files differs from its state and has not changed since the previous check, because it may still be
     * written. Logs the result as that of `what`. Checks through links, so that a replaced or re-linked file counts as changed.
     */
    add({ files, ...known }: FileState, what: string, load: () => Promise<void>): void {
      const reload = oneAtATime(() =>
        load().then(
          () => log('reloaded', `reloaded ${what}`, { what }),
          ({ message: reason }: Error) =>
            log('reload_failed', `kept ${what}; reload failed: ${reason}`, { what, reason }),
        ),
      );
      let { state: loaded } = known;
      let latest = loaded;
      const check = (): void => {
        const before = latest;
        latest = describeFiles(files);
        if (latest !== before || latest === loaded) return;
        loaded = latest;
        void reload();
      };
      all.push({ check, reload });
    },
    /** Calls every `load` now; resolves when all have ended, whether or not they failed. */
    async reloadAll(): Promise<void> {
      await Promise.all(all.map(({ reload }) => reload()));
    },
    end,
  };
}

/** Differs when one of the files was written, replaced, re-linked or removed, or its permissions were changed. */
function describeFiles(files: readonly string[]): string {
  const states = files.map((file) => {
    try {
      // An error that is thrown takes 50 µs of an idle process.
      const state = statSync(file, { throwIfNoEntry: false });
      return state === undefined ? 'absent' : `${state.mtimeMs} ${state.ctimeMs} ${state.ino} ${state.size}`;
    } catch {
      return 'unreadable';
    }
  });
  return states.join();
}

/** Runs `work` again after the present run; requests during a run share the next one, because each may need memory for a database. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    next ??= running.then(() => {
      next = null;
      running = work();
      return running;
    });
    return next;
  };
}

const descriptions: Readonly<Record<DatabaseKind, string>> = {
  city: 'the city database',
  asn: 'the autonomous system database',
};

function logWeaknesses(cert: string, settings: Settings, log: Log): void {
  for (const weakness of describeWeaknesses(cert, settings)) log('certificate_incomplete', weakness);
}

interface Reloaded {
  readonly geoip: OpenGeoip;
  readonly update: (change: ThreadUpdate) => Promise<void>;
  /** In use at the start; null without a TLS port. */
  readonly certificate: Certificate | null;
  /** Before the files were read. */
  readonly states: Readonly<Record<DatabaseKind | 'certificate', FileState>>;
  readonly log: Log;
}

export function statesOf(settings: Settings): Reloaded['states'] {
  const { tlsCert, tlsKey } = settings;
  return {
    certificate: stateOf([tlsCert, tlsKey].filter((file) => file !== null)),
    city: stateOf(watchedFiles(settings, 'city')),
    asn: stateOf(watchedFiles(settings, 'asn')),
  };
}

/** Loads the operator's certificate and the databases again when their files change. */
export function addReloads(settings: Settings, reloads: ReturnType<typeof createReloads>, reloaded: Reloaded): void {
  const { geoip, update, certificate, states, log } = reloaded;
  const { tlsCert, tlsKey } = settings;
  let inUse = certificate;
  if (inUse !== null && tlsCert !== null) logWeaknesses(inUse.cert, settings, log);
  for (const missing of describeMissingDomains(settings)) log('certificate_incomplete', missing);
  if (inUse !== null && tlsCert !== null && tlsKey !== null)
    reloads.add(states.certificate, 'the certificate', async () => {
      const renewed = await readCertificate(tlsCert, tlsKey);
      const problem = inUse && replacementProblem(inUse.cert, renewed.cert, tlsCert);
      if (problem !== null) throw new Error(problem);
      await update({ kind: 'certificate', certificate: renewed });
      if (inUse?.cert !== renewed.cert) logWeaknesses(renewed.cert, settings, log);
      inUse = renewed;
    });
  for (const database of databaseKinds)
    reloads.add(states[database], descriptions[database], async () => {
      await geoip.reload(database).catch((error) => {
        // What was read would stay for minutes beside the next attempt.
        collectGarbage();
        throw error;
      });
      await update({ kind: 'database', database, files: geoip.files(database) });
    });
}
