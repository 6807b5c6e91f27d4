/** Lookups in the terminal, with the same protection as in the service. */
import { parseUserAgent } from '../client/user-agent.ts';
import { ServiceError } from '../core/errors.ts';
import { type Platform, unlimited } from '../core/platform.ts';
import type { Settings } from '../core/settings.ts';
import { type OpenGeoip, openGeoip } from '../edges/node/geoip/geoip.ts';
import { createBootstrapFiles } from '../edges/node/outbound/bootstrap-files.ts';
import { createOutbound } from '../edges/node/outbound/outbound.ts';
import { Grade, type HeaderCheck } from '../lookups/headers-check/schema.ts';
import { addressLookup, type FormatterByLookup, type LookupName, lookups } from '../lookups/list.ts';
import type { Lookup, LookupContext } from '../lookups/lookup.ts';
import { formatRdap, rdapLookup } from '../mcp/rdap-lookup.ts';
import { formatDns, formatLines } from '../mcp/text.ts';
import { geoipFiles } from '../runtime/databases/geoip-files.ts';
import { createLog } from '../runtime/log.ts';
import { prepareAsn } from './asn.ts';
import type { CommandDescription } from './commands.ts';
import type { ProgressStream } from './progress-bar.ts';

export interface LookupResult {
  readonly value: object;
  readonly text: string;
}

export interface LookupRequest {
  readonly command: CommandDescription;
  readonly args: readonly string[];
  readonly settings: Settings;
  /** Receives the progress of a conversion. */
  readonly notices: ProgressStream;
}

const grades = Grade.shape.grade.options;

export const parseGrade = (text: string): Grade['grade'] | null =>
  grades.find((grade) => grade === text.toUpperCase()) ?? null;

/** Whether the result has this grade or a better one; true for results without a grade, and for null. */
export function reachesGrade({ grade }: Partial<HeaderCheck>, lowest: Grade['grade'] | null): boolean {
  return lowest === null || grade === undefined || grades.indexOf(grade.grade) <= grades.indexOf(lowest);
}

/** Texts that differ from one line per value. */
const formatters: Partial<FormatterByLookup<[], string>> = {
  rdap: (result) => formatRdap(rdapLookup(result, false)),
  'headers-check': formatGrade,
  dns: formatDns,
};

/** Throws a ServiceError, or an Error with a message for the user. */
export async function runLookup({ command, args, settings, notices }: LookupRequest): Promise<LookupResult> {
  const [first = ''] = args;
  if (command.name === 'ua') return toResult(parseUserAgent(first));
  if (command.name === 'me') return toResult(await askService(first === '' ? defaultUrl(settings) : first));
  const lookup: Lookup | undefined = lookups.find(({ name }) => name === command.lookup);
  if (lookup === undefined) throw new Error(`${command.name} is not a lookup`);
  const outbound = createOutbound();
  try {
    const platform = await platformOf(settings, outbound, lookup === addressLookup ? notices : null);
    const results = await lookUpEach(lookup, args, { platform, baseUrl: settings.publicUrl });
    const [only] = results;
    const value = results.length === 1 && only !== undefined ? only : results;
    const format = (formatters[lookup.name as LookupName] ?? formatLines) as (result: object) => string;
    return { value, text: results.map(format).join('\n') };
  } finally {
    await outbound.end();
  }
}

/** Looks up the first argument: once, or with each of the others as the value of the lookup's option. */
async function lookUpEach(lookup: Lookup, [value, ...choices]: readonly string[], context: LookupContext) {
  const { parameter, options } = lookup;
  const [option] = options;
  const results: object[] = [];
  for (const choice of choices.length === 0 ? [undefined] : choices) {
    const chosen = option === undefined ? [] : [[option.name, choice] as const];
    results.push(await lookup.lookUp([[parameter.name, value], ...chosen], context));
  }
  return results;
}

const toResult = (value: object): LookupResult => ({ value, text: formatLines(value) });

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

export function formatGrade({ finalUrl, status, grade: { grade, score, checks, notes } }: HeaderCheck): string {
  const rows = checks
    .filter(({ applicable }) => applicable)
    .map(({ title, pass, scoreImpact, description, recommendation }) => {
      const outcome = pass ? (recommendation === null ? 'ok  ' : 'note') : 'fail';
      const points = scoreImpact === 0 ? '' : ` (${scoreImpact > 0 ? '+' : ''}${scoreImpact})`;
      const advice = recommendation === null ? '' : `\n     ${pass ? 'Recommended' : 'Fix'}: ${recommendation}`;
      return `${outcome} ${title}${points}: ${description}${advice}\n`;
    });
  const remarks = notes.map(({ level, message }) => `${level === 'warning' ? 'warn' : 'note'} ${message}\n`);
  return `${finalUrl} (${status})\nGrade: ${grade} (${score}/100)\n${rows.join('')}${remarks.join('')}`;
}
