/** Lookups in the terminal, with the same protection as in the service unless the user lifts it for a grade. */
import { parseUserAgent } from '../client/user-agent.ts';
import { ServiceError } from '../core/errors.ts';
import { type Platform, unlimited } from '../core/platform.ts';
import type { Settings } from '../core/settings.ts';
import { type OpenGeoip, openGeoip } from '../edges/node/geoip/geoip.ts';
import { createBootstrapFiles } from '../edges/node/outbound/bootstrap-files.ts';
import { createOutbound } from '../edges/node/outbound/outbound.ts';
import { anyAddresses } from '../edges/node/outbound/public-lookup.ts';
import { type CheckOptions, headersCheck } from '../lookups/headers-check/check.ts';
import { addressLookup, headerLookup, lookups } from '../lookups/list.ts';
import type { Lookup, LookupContext } from '../lookups/lookup.ts';
import { outboundUserAgent } from '../lookups/outbound.ts';
import { geoipFiles } from '../runtime/databases/geoip-files.ts';
import { createLog } from '../runtime/log.ts';
import type { CommandDescription } from './commands.ts';
import { prepareAsn } from './databases/asn.ts';
import type { ProgressStream } from './databases/progress-bar.ts';

/** What the user of a terminal permits for a grade. */
export interface GradeOptions extends Pick<CheckOptions, 'headers'> {
  readonly acceptsAnyCertificate: boolean;
  readonly privateAddresses: boolean;
}

export interface LookupRequest {
  readonly command: CommandDescription;
  /** The items to look up, and for each the values of the lookup's option. */
  readonly items: readonly string[];
  readonly choices: readonly string[];
  readonly settings: Settings;
  readonly gradeOptions: GradeOptions;
  /** Receives the progress of a conversion. */
  readonly notices: ProgressStream;
}

/** A result, or why there is none: a ServiceError, or an Error with a message for the user. */
export type Found = { readonly item: string } & ({ readonly value: object } | { readonly error: Error });

/** Looks up one item after another, so that a registry is not flooded. */
export async function* runLookups(request: LookupRequest): AsyncGenerator<Found> {
  const { items, choices } = request;
  await using opened = new AsyncDisposableStack();
  const lookUp = await openLookup(request, opened);
  for (const item of items)
    for (const choice of choices.length === 0 ? [undefined] : choices) {
      const found = await lookUp(item, choice).then(
        (value) => ({ value }),
        (error: Error) => ({ error }),
      );
      yield { item, ...found };
    }
}

type LookUp = (item: string, choice: string | undefined) => Promise<object>;

async function openLookup(
  { command, settings, gradeOptions, notices }: LookupRequest,
  opened: AsyncDisposableStack,
): Promise<LookUp> {
  if (command.name === 'ua') return async (item) => parseUserAgent(item);
  if (command.name === 'me') return (item) => askService(item === '' ? defaultUrl(settings) : item);
  const lookup: Lookup | undefined = lookups.find(({ name }) => name === command.lookup);
  if (lookup === undefined) throw new Error(`${command.name} is not a lookup`);
  const { acceptsAnyCertificate, privateAddresses, headers = {} } = gradeOptions;
  const outbound = createOutbound({ acceptsAnyCertificate, ...(privateAddresses && { addressesOf: anyAddresses }) });
  opened.defer(outbound.end);
  const platform = await platformOf(settings, outbound, lookup === addressLookup ? notices : null);
  const { publicUrl: baseUrl } = settings;
  if (lookup === headerLookup) {
    const options = {
      userAgent: outboundUserAgent(baseUrl),
      ownHosts: [],
      anyPort: true,
      privateAddresses,
      headers,
    };
    return (item) => headersCheck(lookup.page.complete?.(item) ?? item, platform, options);
  }
  const context: LookupContext = { platform, baseUrl };
  const { parameter, options } = lookup;
  return (item, choice) => {
    const [option] = options;
    const chosen = option === undefined ? [] : [[option.name, choice] as const];
    return lookup.lookUp([[parameter.name, item], ...chosen], context);
  };
}

async function platformOf(
  settings: Settings,
  outbound: Pick<Platform, 'fetch' | 'fetchPublic'>,
  notices: ProgressStream | null,
): Promise<Platform> {
  return {
    limit: () => unlimited,
    count: () => {},
    countLookup: () => {},
    report: () => {},
    isDraining: () => false,
    now: Date.now,
    fetch: outbound.fetch,
    fetchPublic: outbound.fetchPublic,
    bootstrapFile: createBootstrapFiles({ settings, fetch: outbound.fetch, now: Date.now }),
    addressData: notices && (await openDatabases(settings, notices)),
    resolvers: settings.dohUrl,
  };
}

async function openDatabases(settings: Settings, notices: ProgressStream): Promise<OpenGeoip> {
  const log = createLog({ format: 'plain', level: 'info', write: (line) => notices.write(`${line}\n`) });
  const asnBytes = await prepareAsn(settings, log, notices.isTTY ? notices : null);
  return openGeoip(geoipFiles(settings, asnBytes));
}

function defaultUrl({ publicUrl, port, tlsPort }: Settings): string {
  if (publicUrl !== null) return publicUrl;
  return port === null ? `https://localhost:${tlsPort}` : `http://localhost:${port}`;
}

const serviceTimeoutMs = 10_000;

/** The user chose this URL, so it may be local. */
async function askService(url: string): Promise<object> {
  const base = (/^\w+:\/\//.test(url) ? url : `https://${url}`).replace(/\/+$/, '');
  const parsed = URL.parse(base);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '')
    throw new ServiceError('invalid_url', 'Send the URL of a running service, such as https://seenby.example.');
  const response = await fetch(`${base}/json`, { signal: AbortSignal.timeout(serviceTimeoutMs) }).catch(
    (error: Error) => {
      const reason = error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
      if (reason.includes('wrong version number')) throw new Error(`${base} does not use TLS; use an http:// URL`);
      if (reason.includes('certificate'))
        throw new Error(
          `${base} responds, but its certificate is not trusted (${reason.split(';')[0]}); use its http:// URL`,
        );
      throw new Error(`no response from ${base}: ${reason.split('\n')[0]}; start the service, or add its URL`);
    },
  );
  const value = await response.json().catch(() => null);
  if (!response.ok || typeof value !== 'object' || value === null)
    throw new Error(`${base}/json returned ${response.status}, not the data of this service; check the URL`);
  return value;
}
