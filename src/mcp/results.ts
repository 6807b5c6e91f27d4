/** Results that only tools have, and text forms of results. */
import * as z from 'zod';
import { parseGivenUserAgent, userAgent } from '../client/user-agent.ts';
import { UserAgent } from '../client/user-agent-schema.ts';
import { noteReserved } from '../core/address.ts';
import type { ObservedRequest } from '../core/observed.ts';
import { flatten } from '../core/text.ts';
import { quote } from '../lookups/dns/record.ts';
import type { DnsAnswer } from '../lookups/dns/schema.ts';
import { countryMeaning } from '../lookups/rdap/json.ts';
import { RdapResult } from '../lookups/rdap/schema.ts';
import { Http, Network, RequestHeaders } from '../resources/connection.ts';
import { IpLocation } from '../resources/geo.ts';
import { Info, info } from '../resources/info.ts';
import { Tls } from '../resources/tls.ts';
import { HeaderTraits } from '../traits/header-traits.ts';

const note =
  "This describes the machine that called the MCP server. For a hosted assistant, that is its provider's server, not the user's device or location.";

/** The note on the User-Agent of a tool call. */
const ownUserAgent = "The User-Agent of the program that called this tool, not that of the user's browser.";

export const Whoami = z.object({
  note: z.string().describe('Which machine this describes'),
  ip: Info.shape.ip,
  ipVersion: Info.shape.ipVersion,
  location: IpLocation,
  network: Network.pick({ asn: true, asOrganization: true, colo: true }),
  tls: Tls.pick({ version: true, cipher: true }),
  http: Http.pick({ protocol: true }),
  userAgent: UserAgent.pick({ raw: true, kind: true, bot: true }),
  headers: RequestHeaders.shape.headers.nullable().describe('Headers of the call; null unless include_headers is true'),
  simulated: Info.shape.meta.shape.simulated,
});
export type Whoami = z.infer<typeof Whoami>;

export function whoami(observed: ObservedRequest, includeHeaders: boolean): Whoami {
  const { ip, ipVersion, location, network, tls, http, userAgent, headers, meta } = info(observed, '', 0);
  return {
    note: [note, noteReserved(ip ?? '') ?? []].flat().join(' '),
    ip,
    ipVersion,
    location,
    network: { asn: network.asn, asOrganization: network.asOrganization, colo: network.colo },
    tls: { version: tls.version, cipher: tls.cipher },
    http: { protocol: http.protocol },
    userAgent: { raw: userAgent.raw, kind: userAgent.kind, bot: userAgent.bot },
    headers: includeHeaders ? headers : null,
    simulated: meta.simulated,
  };
}

/** Without a country, nothing is known about the EU: models take "false" for a statement. */
export function formatWhoami(result: Whoami): string {
  const text = flatten(result, false);
  return result.location.country === null ? text.replace(/^location\.isEU: .*\n/m, '') : text;
}

export const ParsedUserAgent = UserAgent.extend({
  note: z.string().nullable().describe('Whose User-Agent this is; null if it was passed to the tool'),
});
export type ParsedUserAgent = z.infer<typeof ParsedUserAgent>;

export const parsedUserAgent = ({ headers }: ObservedRequest, given: string | undefined): ParsedUserAgent =>
  given === undefined ? { note: ownUserAgent, ...userAgent(headers) } : { note: null, ...parseGivenUserAgent(given) };

/** Clients cut or reject results of some 25,000 tokens; JSON has about three characters per token. */
export const maxRawLength = 24_000;
/** RFC 9083 has some twenty members; a registry may send any number. */
const maxNames = 20;
const maxNameLength = 40;

export const RdapLookup = RdapResult.omit({ data: true }).extend({
  data: RdapResult.shape.data.nullable().describe("The registry's JSON (RFC 9083); null unless include_raw is true"),
  omitted: z
    .array(z.string())
    .describe(
      `Members of the registry's JSON omitted from data, which has at most ${maxRawLength} characters; at most ${maxNames} names`,
    ),
  omittedCount: z.int().describe('Number of omitted members, which omitted may not list completely'),
});
export type RdapLookup = z.infer<typeof RdapLookup>;

export function rdapLookup({ data, ...summarized }: RdapResult, includeRaw: boolean): RdapLookup {
  return { ...summarized, ...(includeRaw ? boundData(data) : { data: null, omitted: [], omittedCount: 0 }) };
}

/** Omits the largest members until the rest fits. */
function boundData(data: RdapResult['data']): Pick<RdapLookup, 'data' | 'omitted' | 'omittedCount'> {
  const lengths = Object.entries(data).map(([name, value]) => [name, JSON.stringify([name, value]).length] as const);
  let length = lengths.reduce((sum, [, each]) => sum + each, 0);
  const omitted = new Set<string>();
  for (const [name, each] of lengths.toSorted(([, one], [, other]) => other - one)) {
    if (length <= maxRawLength) break;
    omitted.add(name);
    length -= each;
  }
  return {
    data: Object.fromEntries(Object.entries(data).filter(([name]) => !omitted.has(name))),
    omitted: [...omitted].slice(0, maxNames).map((name) => name.slice(0, maxNameLength)),
    omittedCount: omitted.size,
  };
}

/** The raw JSON is in the text as well: many clients pass only the text to the model. */
export function formatRdap({ data, ...summarized }: RdapLookup): string {
  // Counts of zero state nothing.
  const lines = flatten(summarized, false)
    .replace(/^(?:summary\.omitted|summary\.dnssec\.ds|omittedCount): 0\n/gm, '')
    .replace(/^summary\.country: .*$/m, `$& (${countryMeaning})`);
  return lines + (data === null ? '' : `data: ${JSON.stringify(data)}\n`);
}

/** Records as lines of a zone file; a TXT record of several strings as these strings, what is wrong with a record as a comment. */
export function formatDns({ records, note, ...answer }: DnsAnswer): string {
  const lines = records.map(({ name, ttl, type, data, txt, error }) => {
    const strings = txt !== null && txt.chunks.length > 1 ? txt.chunks.map(quote) : [data];
    return `${name} ${ttl} ${type} ${strings.join(' ')}${error === undefined ? '' : ` ; ${error}`}\n`;
  });
  return `${note === null ? '' : `${note}\n`}${lines.join('')}${flatten(answer, false)}`;
}

export const CheckedHeaders = HeaderTraits.extend({
  notApplicableCount: z.int().describe('Number of rules that do not apply to these headers'),
  notApplicable: HeaderTraits.shape.notApplicable
    .optional()
    .describe('Rules that do not apply, by reason; absent unless include_not_applicable is true'),
});
export type CheckedHeaders = z.infer<typeof CheckedHeaders>;

/** One line for each hint; also one for each reason why rules do not apply, if these were requested. */
export function formatTraits({
  source,
  kind,
  note,
  hints,
  notApplicableCount,
  notApplicable = [],
}: CheckedHeaders): string {
  const found = hints.map(
    ({ level, id, headers, hint, reason }) => `${level} ${id} (${headers.join(', ')}): ${hint} ${reason}\n`,
  );
  const summary = `${note}\nsource: ${source}\nkind: ${kind}\nrules that do not apply: ${notApplicableCount}\n`;
  const others = notApplicable.map(({ reason, ids }) => `not applicable (${ids.join(', ')}): ${reason}\n`);
  return `${summary}${found.length === 0 ? 'No hints.\n' : found.join('')}${others.join('')}`;
}
