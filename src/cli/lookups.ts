/** Lookups in the terminal, with the same protection as in the service unless the user lifts it for a grade. */
import { parseUserAgent } from '../client/user-agent.ts';
import { ServiceError } from '../core/errors.ts';
import { type Platform, unlimited } from '../core/platform.ts';
import type { Settings } from '../core/settings.ts';
import { type OpenGeoip, openGeoip } from '../edges/node/geoip/geoip.ts';
import { createBootstrapFiles } from '../edges/node/outbound/bootstrap-files.ts';
import { createOutbound } from '../edges/node/outbound/outbound.ts';
import { anyAddresses } from '../edges/node/outbound/public-lookup.ts';
import { headersCheck } from '../lookups/headers-check/check.ts';
import { addressLookup, headerLookup, lookups } from '../lookups/list.ts';
import type { Lookup, LookupContext } from '../lookups/lookup.ts';
import { outboundUserAgent } from '../lookups/outbound.ts';
import { geoipFiles } from '../runtime/databases/geoip-files.ts';
import { createLog } from '../runtime/log.ts';
import { type CommandDescription, type CommandFlags, UsageError } from './commands.ts';
import { prepareAsn } from './databases/asn.ts';
import type { ProgressStream } from './databases/progress-bar.ts';

/** A command line that looks something up. */
export interface LookupCommand {
  readonly command: CommandDescription;
  readonly args: readonly string[];
  readonly flags: CommandFlags;
  readonly settings: Settings;
}

/** What to look up, and a value of the lookup's option; if absent, its default. */
export type Item = readonly [item: string, choice?: string];

/** A result, or why there is none: a ServiceError, or an Error with a message for the user. */
export type Found = { readonly item: string } & ({ readonly value: object } | { readonly error: Error });

/** Looks up one item after another, so that a registry is not flooded. `notices` receives the progress of a conversion. */
export async function* runLookups(
  request: LookupCommand,
  items: readonly Item[],
  notices: ProgressStream,
): AsyncGenerator<Found> {
  const { insecure: acceptsAnyCertificate = false, 'allow-private': isAnyAddress } = request.flags;
  const outbound = createOutbound({ acceptsAnyCertificate, ...(isAnyAddress && { addressesOf: anyAddresses }) });
  try {
    const lookUp = await openLookup(request, outbound, notices);
    for (const [item, choice] of items) {
      const found = await lookUp(item, choice).then(
        (value) => ({ value }),
        (error: Error) => ({ error }),
      );
      yield { item, ...found };
    }
  } finally {
    await outbound.end();
  }
}

async function openLookup(
  { command, settings, flags }: LookupCommand,
  outbound: Pick<Platform, 'fetch' | 'fetchPublic'>,
  notices: ProgressStream,
): Promise<(...item: Item) => Promise<object>> {
  if (command.name === 'ua') return async (item) => parseUserAgent(item);
  if (command.name === 'me') return (item) => askService(item === '' ? defaultUrl(settings) : item);
  const lookup: Lookup | undefined = lookups.find(({ name }) => name === command.lookup);
  if (lookup === undefined) throw new Error(`${command.name} is not a lookup`);
  const platform = await platformOf(settings, outbound, lookup === addressLookup ? notices : null);
  const { publicUrl: baseUrl } = settings;
  if (lookup === headerLookup) {
    const { header = [], 'allow-private': privateAddresses = false } = flags;
    const userAgent = outboundUserAgent(baseUrl);
    const options = { userAgent, ownHosts: [], anyPort: true, privateAddresses, headers: parseHeaders(header) };
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

function parseHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers = lines.map((line) => {
    const [, name, value] = /^([!#$%&'*+.^`|~\w-]+):[ \t]*([\t\u0020-\u007e\u0080-\u00ff]*)$/.exec(line) ?? [];
    // Without the line: it may be a password, and the output the log of a CI system.
    if (name === undefined || value === undefined) throw new UsageError("--header: must be 'Name: value' in one line");
    return [name.toLowerCase(), value] as const;
  });
  return Object.fromEntries(headers);
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
