/** Lookups in the terminal, with the same protection as in the service. */
import { parseUserAgent } from '../client/user-agent.ts';
import type { Platform } from '../core/platform.ts';
import type { Settings } from '../core/settings.ts';
import { type OpenGeoip, openGeoip } from '../edges/node/geoip/geoip.ts';
import { createBootstrapFiles } from '../edges/node/outbound/bootstrap-files.ts';
import { createOutbound } from '../edges/node/outbound/outbound.ts';
import { dnsLookup } from '../lookups/dns/dns-lookup.ts';
import { parseDnsType } from '../lookups/dns/name.ts';
import type { DnsAnswer } from '../lookups/dns/response.ts';
import { headersCheck } from '../lookups/headers-check/check.ts';
import { Grade, type HeaderCheck } from '../lookups/headers-check/schema.ts';
import { ipLookup } from '../lookups/ip/ip-lookup.ts';
import { outboundUserAgent } from '../lookups/outbound.ts';
import { rdap } from '../lookups/rdap/rdap.ts';
import { formatRdap, rdapLookup } from '../mcp/rdap-lookup.ts';
import { formatDns, formatLines } from '../mcp/text.ts';
import { geoipFiles } from '../runtime/databases/geoip-files.ts';
import { createLog } from '../runtime/log/log.ts';
import { prepareAsn } from './asn.ts';
import type { ProgressStream } from './progress-bar.ts';

export interface LookupResult {
  readonly value: object;
  readonly text: string;
  /** False if the result fails a condition of the command line. */
  readonly isPassed: boolean;
}

export interface LookupRequest {
  readonly command: 'me' | 'ip' | 'whois' | 'dns' | 'grade' | 'ua';
  readonly args: readonly string[];
  readonly settings: Settings;
  /** Lowest grade that passes; null for any. */
  readonly failBelow: Grade['grade'] | null;
  /** Receives the progress of a conversion. */
  readonly notices: ProgressStream;
}

const grades = Grade.shape.grade.options;

export const parseGrade = (text: string): Grade['grade'] | null =>
  grades.find((grade) => grade === text.toUpperCase()) ?? null;

/** Throws a ServiceError, or an Error with a message for the user. */
export async function lookUp({ command, args, settings, failBelow, notices }: LookupRequest): Promise<LookupResult> {
  const [first = '', ...rest] = args;
  if (command === 'ua') return resultOf(parseUserAgent(first), formatLines);
  const outbound = createOutbound();
  try {
    if (command === 'me') return await askService(first === '' ? defaultUrl(settings) : first);
    const userAgent = outboundUserAgent(settings.publicUrl);
    const platform = await platformOf(settings, outbound, command === 'ip' ? notices : null);
    if (command === 'ip') return resultOf(await ipLookup(first, platform, userAgent), formatLines);
    if (command === 'whois')
      return resultOf(await rdap(first, platform, userAgent), (result) => formatRdap(rdapLookup(result, false)));
    if (command === 'dns') {
      const types = rest.length === 0 ? ['A'] : rest;
      const results: DnsAnswer[] = [];
      for (const type of types) results.push(await dnsLookup(first, parseDnsType(type), platform, userAgent));
      const [only] = results;
      const value = results.length === 1 && only !== undefined ? only : results;
      return { value, text: results.map(formatDns).join('\n'), isPassed: true };
    }
    const check = await headersCheck(first, platform, { userAgent, ownHosts: [] });
    const isPassed = failBelow === null || grades.indexOf(check.grade.grade) <= grades.indexOf(failBelow);
    return { value: check, text: formatGrade(check), isPassed };
  } finally {
    await outbound.end();
  }
}

function resultOf<Value extends object>(value: Value, toText: (value: Value) => string): LookupResult {
  return { value, text: toText(value), isPassed: true };
}

async function platformOf(
  settings: Settings,
  outbound: Pick<Platform, 'fetch' | 'fetchPublic'>,
  notices: ProgressStream | null,
): Promise<Platform> {
  const { rdapBootstrapUrl: baseUrl, publicUrl, dohUrl: resolvers } = settings;
  return {
    limit: () => true,
    count: () => {},
    countLookup: () => {},
    report: () => {},
    isDraining: () => false,
    now: Date.now,
    fetch: outbound.fetch,
    fetchPublic: outbound.fetchPublic,
    bootstrapFile: createBootstrapFiles({
      baseUrl,
      userAgent: outboundUserAgent(publicUrl),
      fetch: outbound.fetch,
      now: Date.now,
    }),
    addressData: notices && (await openDatabases(settings, notices)),
    resolvers,
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
async function askService(url: string): Promise<LookupResult> {
  const base = (/^https?:/.test(url) ? url : `https://${url}`).replace(/\/+$/, '');
  const response = await fetch(`${base}/json`, { signal: AbortSignal.timeout(serviceTimeoutMs) }).catch(
    (error: Error) => {
      const reason = error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
      if (reason.includes('wrong version number')) throw new Error(`${base} does not use TLS; use an http:// URL`);
      throw new Error(`no response from ${base}: ${reason.split('\n')[0]}; start the service, or add its URL`);
    },
  );
  const value = await response.json().catch(() => null);
  if (!response.ok || typeof value !== 'object' || value === null)
    throw new Error(`${base}/json returned ${response.status}, not the data of this service; check the URL`);
  return resultOf(value as object, formatLines);
}

function formatGrade({ finalUrl, status, grade: { grade, score, checks, notes } }: HeaderCheck): string {
  const rows = checks
    .filter(({ applicable }) => applicable)
    .map(({ title, pass, scoreImpact, description, recommendation }) => {
      const points = scoreImpact === 0 ? '' : ` (${scoreImpact > 0 ? '+' : ''}${scoreImpact})`;
      const fix = recommendation === null ? '' : `\n     Fix: ${recommendation}`;
      return `${pass ? 'ok  ' : 'fail'} ${title}${points}: ${description}${fix}\n`;
    });
  const remarks = notes.map(({ level, message }) => `${level === 'warning' ? 'warn' : 'note'} ${message}\n`);
  return `${finalUrl} (${status})\nGrade: ${grade} (${score}/100)\n${rows.join('')}${remarks.join('')}`;
}
