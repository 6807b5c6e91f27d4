/** The shape of ip-api.com: https://ip-api.com/docs */
import { windowSeconds } from '../core/limits.ts';
import { replaceControls } from '../core/text.ts';
import {
  type DialectReply,
  type DialectRequest,
  type DialectRow,
  mediaTypes,
  networkOf,
  parameterOf,
  rowsOf,
  wrapCallback,
} from './dialect.ts';

const messages = { malformed: 'invalid query', private: 'private range', reserved: 'reserved range' } as const;

const continents: Readonly<Record<string, string>> = {
  AF: 'Africa',
  AN: 'Antarctica',
  AS: 'Asia',
  EU: 'Europe',
  NA: 'North America',
  OC: 'Oceania',
  SA: 'South America',
};

type Key = readonly [name: string, bit: number, read: (request: DialectRequest) => string | number | null];

/**
 * The keys in the order of the response, with their bits in the number form of `fields`. A value that is not known is null. Currency, mobile,
 * proxy and hosting have no row, because they are never known.
 */
const keys: readonly Key[] = [
  ['status', 14, ({ unfit }) => (unfit === null ? 'success' : 'fail')],
  ['message', 15, ({ unfit }) => (unfit === null ? null : messages[unfit])],
  ['continent', 20, ({ about }) => continents[about.continent ?? ''] ?? ''],
  ['continentCode', 21, ({ about }) => about.continent ?? ''],
  ['country', 0, ({ about }) => about.countryName ?? ''],
  ['countryCode', 1, ({ about }) => about.country ?? ''],
  ['region', 2, ({ about }) => about.regionCode ?? ''],
  ['regionName', 3, ({ about }) => about.region ?? ''],
  ['city', 4, ({ about }) => about.city ?? ''],
  ['district', 19, () => ''],
  ['zip', 5, ({ about }) => about.postalCode ?? ''],
  ['lat', 6, ({ about }) => about.latitude],
  ['lon', 7, ({ about }) => about.longitude],
  ['timezone', 8, ({ about }) => about.timezone ?? ''],
  ['offset', 25, ({ about, nowMs }) => offsetOf(about.timezone, nowMs)],
  ['isp', 9, ({ about }) => about.asOrganization ?? ''],
  ['org', 10, ({ about }) => about.asOrganization ?? ''],
  ['as', 11, ({ about }) => networkOf(about)],
  ['asname', 22, () => ''],
  ['reverse', 12, () => ''],
  ['query', 13, ({ about }) => about.ip ?? ''],
];
const defaultFields = 61_439;
const failureKeys = ['status', 'message', 'query'];

/** Seconds east of UTC. */
function offsetOf(timeZone: string | null, nowMs: number): number | null {
  if (timeZone === null) return null;
  try {
    const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(nowMs);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = 0, minutes = 0] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    return (sign === '-' ? -60 : 60) * (Number(hours) * 60 + Number(minutes));
  } catch {
    // A database may have a name that this runtime does not.
    return null;
  }
}

/** The selected keys, by a list of names or a sum of bits, and their values. */
function selected(request: DialectRequest): (readonly [key: string, value: string | number | null])[] {
  const fields = parameterOf(request, 'fields') || String(defaultFields);
  const names = fields.split(',');
  const sum = /^\d{1,10}$/.test(fields) ? Number(fields) : 0;
  const isIncluded = (key: string): boolean => (request.unfit === null ? key !== 'message' : failureKeys.includes(key));
  return keys
    .filter(([key, bit]) => isIncluded(key) && (names.includes(key) || (sum & (1 << bit)) !== 0))
    .map(([key, , read]) => [key, read(request)]);
}

/** Seconds left in the window, and requests left in it, as the service reports them. */
function withLimits(reply: DialectReply, { decision: { remaining, resetSeconds } }: DialectRequest): DialectReply {
  if (remaining === null) return reply;
  return { ...reply, headers: { 'X-Ttl': String(resetSeconds ?? windowSeconds), 'X-Rl': String(remaining) } };
}

function json(request: DialectRequest): DialectReply {
  const known = selected(request).filter(([, value]) => value !== null);
  return withLimits(wrapCallback(JSON.stringify(Object.fromEntries(known)), parameterOf(request, 'callback')), request);
}

const textsOf = (request: DialectRequest): string[] =>
  selected(request).map(([, value]) => replaceControls(String(value ?? '')));

const lines = (request: DialectRequest): DialectReply =>
  withLimits({ body: textsOf(request).join('\n').concat('\n') }, request);

const quote = (text: string): string => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const csv = (request: DialectRequest): DialectReply =>
  withLimits({ body: textsOf(request).map(quote).join(',').concat('\n') }, request);

const fields = { name: 'fields', description: 'Keys of the response, comma-separated, or the sum of their bits' };
const callback = { name: 'callback', description: 'Name of a function, for JSONP' };

const rowsBelow = (suffix: string, subject: string): DialectRow[] => [
  ...rowsOf(mediaTypes.utf8Json, [[`/json${suffix}`, `Location and network${subject}`, json]]).map((row) => ({
    ...row,
    otherMediaTypes: [mediaTypes.javascript],
    parameters: [fields, callback],
  })),
  ...rowsOf(mediaTypes.text, [
    [`/line${suffix}`, `Values${subject}, one per line`, lines],
    [`/csv${suffix}`, `Values${subject}, separated by commas`, csv],
  ]).map((row) => ({ ...row, parameters: [fields] })),
];

export const ipApi: readonly DialectRow[] = [...rowsBelow('', ''), ...rowsBelow('/{ip}', ' of another address')];
