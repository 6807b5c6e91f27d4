/** A lookup of the service in a terminal, with the same protection as in the service unless the user lifts it. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ErrorCode, ServiceError } from '../core/errors.ts';
import { type Platform, unlimited } from '../core/platform.ts';
import type { Settings } from '../core/settings.ts';
import { type OpenGeoip, openGeoip } from '../edges/node/geoip/geoip.ts';
import { createBootstrapFiles } from '../edges/node/outbound/bootstrap-files.ts';
import { createOutbound } from '../edges/node/outbound/outbound.ts';
import { anyAddresses } from '../edges/node/outbound/public-lookup.ts';
import { certificateCheck } from '../lookups/certificate/check.ts';
import { headersCheck } from '../lookups/headers-check/check.ts';
import { addressLookup, certificateLookup, headerLookup, lookups } from '../lookups/list.ts';
import type { Lookup } from '../lookups/lookup.ts';
import { outboundUserAgent } from '../lookups/outbound.ts';
import { describeSource } from '../runtime/databases/database-sources.ts';
import { geoipFiles } from '../runtime/databases/geoip-files.ts';
import { createLog } from '../runtime/log.ts';
import { type LookUp, type LookupCommand, UsageError } from './commands.ts';
import { openWithDatabases, type ProgressStream } from './databases.ts';
import { hasNetwork, noNetwork } from './own-service.ts';

/** Returns the function that looks up an item; its errors also state what only a terminal knows: the network, and the flag that permits more. */
export async function openServiceLookup(
  request: LookupCommand,
  opened: AsyncDisposableStack,
  notices: ProgressStream,
): Promise<LookUp> {
  const lookUp = await openLookup(request, opened, notices);
  const { command, flags } = request;
  const mayPermitPrivate = command.flags?.includes('allow-private') === true && !flags['allow-private'];
  return (item, choice) =>
    lookUp(item, choice).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'blocked_address' && mayPermitPrivate)
        throw new ServiceError(error.code, `${error.message.replace(/\.$/, '')}, or permit it with --allow-private.`);
      if (networkErrors.includes(error.code) && !hasNetwork()) throw new ServiceError(error.code, noNetwork);
      throw error;
    });
}

/** Errors that a machine without a network causes too. */
const networkErrors: readonly ErrorCode[] = [
  'target_unreachable',
  'target_timeout',
  'upstream_error',
  'upstream_timeout',
];

async function openLookup(
  { command, settings, flags }: LookupCommand,
  opened: AsyncDisposableStack,
  notices: ProgressStream,
): Promise<LookUp> {
  const { insecure: acceptsAnyCertificate = false, 'allow-private': privateAddresses = false, header = [] } = flags;
  const lookup = lookups.find(({ name }) => name === command.lookup) as Lookup;
  const outbound = createOutbound({
    acceptsAnyCertificate,
    ca: flags.ca === undefined ? [] : readCertificates(flags.ca),
    ...(privateAddresses && { addressesOf: anyAddresses }),
  });
  opened.defer(outbound.end);
  const geoip = lookup === addressLookup ? await openDatabases(settings, notices) : null;
  const platform: Platform = {
    ...outbound,
    limit: () => unlimited,
    count() {},
    countLookup() {},
    countToolCall() {},
    report() {},
    isDraining: () => false,
    now: Date.now,
    bootstrapFile: createBootstrapFiles({ settings, fetch: outbound.fetch, now: Date.now }),
    connectBack: null,
    addressData: geoip,
    resolvers: settings.dohUrl,
  };
  if (lookup === headerLookup) {
    // Without PUBLIC_URL: by its whole User-Agent, a service recognizes its own requests, and the operator may grade it.
    const userAgent = outboundUserAgent(null);
    const options = { userAgent, ownHosts: [], anyPort: true, privateAddresses, headers: parseHeaders(header) };
    return (item) => headersCheck(lookup.complete?.(item) ?? item, platform, options);
  }
  if (lookup === certificateLookup) {
    const userAgent = outboundUserAgent(settings.publicUrl);
    return (item) => certificateCheck(item, platform, { userAgent, ownHosts: [], anyPort: true, privateAddresses });
  }
  const { parameter, options } = lookup;
  const [option] = options;
  const databases = geoip?.sources().map(describeSource);
  return async (item, choice) => {
    const chosen = option === undefined ? [] : [[option.name, choice] as const];
    const found = await lookup.lookUp([[parameter.name, item], ...chosen], { platform, baseUrl: settings.publicUrl });
    return databases === undefined ? found : { ...found, databases };
  };
}

/** The certificates in a PEM file; throws a UsageError if it has none. */
function readCertificates(file: string): readonly string[] {
  try {
    const found = readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g);
    if (found === null) throw new Error('it contains no certificate in PEM form');
    return found.map((pem) => new X509Certificate(pem).toString());
  } catch (error) {
    throw new UsageError(`--ca: cannot read ${file}: ${(error as Error).message}`);
  }
}

/** Joins the values of a name, as HTTP permits: cookies with `; `, others with `, `. */
function parseHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers = lines.map((line): [name: string, value: string] => {
    const [, name, value] = /^([!#$%&'*+.^`|~\w-]+):[ \t]*([\t\u0020-\u007e\u0080-\u00ff]*)$/.exec(line) ?? [];
    // Without the line: it may be a password, and the output the log of a CI system.
    if (name === undefined || value === undefined) throw new UsageError("--header: must be 'Name: value' in one line");
    return [name, value];
  });
  return Object.fromEntries(new Headers(headers));
}

async function openDatabases(settings: Settings, notices: ProgressStream): Promise<OpenGeoip> {
  const log = createLog({ format: 'plain', level: 'info', write: (line) => notices.write(`${line}\n`) });
  const terminal = notices.isTTY ? notices : null;
  return openWithDatabases(settings, { log, terminal }, (asnBytes) => openGeoip(geoipFiles(settings, asnBytes)));
}
