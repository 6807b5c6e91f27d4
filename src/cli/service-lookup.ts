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
import { nameOfReport, reportParts } from '../lookups/report.ts';
import { describeSource } from '../runtime/databases/database-sources.ts';
import { geoipFiles } from '../runtime/databases/geoip-files.ts';
import { createLog } from '../runtime/log.ts';
import { permittedBy } from './arguments/argument-validation.ts';
import { type LookUp, type LookupCommand, UsageError } from './commands.ts';
import { openWithDatabases, type ProgressStream } from './databases.ts';
import { describeError } from './output.ts';
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
    lookUp(item, choice).catch(async (error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'blocked_address' && mayPermitPrivate)
        throw new ServiceError(error.code, `${error.message.replace(/\.$/, '')}, or permit it with --allow-private.`);
      if (error.code === 'invalid_target' && mayPermitPrivate)
        throw new ServiceError(error.code, 'The target is this machine; permit it with --allow-private.');
      if (networkErrors.includes(error.code) && !(await hasNetwork())) throw new ServiceError(error.code, noNetwork);
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
  request: LookupCommand,
  opened: AsyncDisposableStack,
  notices: ProgressStream,
): Promise<LookUp> {
  const lookup = lookups.find(({ name }) => name === request.command.lookup);
  const usesDatabases = lookup === undefined || lookup === addressLookup;
  const { platform, databases } = await openPlatform(request, opened, usesDatabases ? notices : null);
  if (lookup === undefined) return createReports(request, platform);
  const lookUp = lookUpWith(lookup, request, platform);
  return databases === null ? lookUp : async (item) => ({ ...(await lookUp(item)), databases });
}

/** `notices`: gets the progress of preparing databases; null for a platform without them. `databases`: which one gives what. */
async function openPlatform(
  { settings, flags }: LookupCommand,
  opened: AsyncDisposableStack,
  notices: ProgressStream | null,
): Promise<{ readonly platform: Platform; readonly databases: readonly string[] | null }> {
  const { insecure: acceptsAnyCertificate = false, 'allow-private': privateAddresses = false } = flags;
  const outbound = createOutbound({
    acceptsAnyCertificate,
    ca: flags.ca === undefined ? [] : readCertificates(flags.ca),
    ...(privateAddresses && { addressesOf: anyAddresses }),
  });
  opened.defer(outbound.end);
  const geoip = notices === null ? null : await openDatabases(settings, notices);
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
  return { platform, databases: geoip?.sources().map(describeSource) ?? null };
}

/** Returns the function that runs a lookup, with what the flags permit. */
function lookUpWith(lookup: Lookup, { settings: { publicUrl }, flags }: LookupCommand, platform: Platform): LookUp {
  const permitted = permittedBy(flags);
  if (lookup.name === headerLookup.name) {
    // Without PUBLIC_URL: by its whole User-Agent, a service recognizes its own requests, and the operator may grade it.
    const options = { ...permitted, userAgent: outboundUserAgent(null), headers: parseHeaders(flags.header ?? []) };
    return (item) => headersCheck(lookup.complete?.(item) ?? item, platform, options);
  }
  if (lookup.name === certificateLookup.name)
    return (item) => certificateCheck(item, platform, { ...permitted, userAgent: outboundUserAgent(publicUrl) });
  const { parameter, options } = lookup;
  const [option] = options;
  return (item, choice) => {
    const chosen = option === undefined ? [] : [[option.name, choice] as const];
    return lookup.lookUp([[parameter.name, item], ...chosen], { platform, baseUrl: publicUrl });
  };
}

/** Returns the function that runs all lookups of a report concurrently; it rejects with the first error if none has a result. */
function createReports(request: LookupCommand, platform: Platform): LookUp {
  const parts = reportParts.map(({ id, lookup, queryOf }) => ({
    id,
    queryOf,
    lookUp: lookUpWith(lookup, request, platform),
  }));
  return async (item) => {
    const name = nameOfReport(item);
    const outcomes = await Promise.all(
      parts.map(({ lookUp, queryOf }) => lookUp(queryOf(name)).catch((error: unknown) => error as Error)),
    );
    const [first] = outcomes;
    if (first instanceof Error && outcomes.every((outcome) => outcome instanceof Error)) throw first;
    const members = outcomes.map((outcome) => (outcome instanceof Error ? describeError(outcome) : outcome));
    return { name, ...Object.fromEntries(parts.map(({ id }, at) => [id, members[at]])) };
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
