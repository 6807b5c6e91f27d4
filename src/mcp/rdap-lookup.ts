/** The tool `rdap_lookup`: the summary of a registration, and as much of the raw JSON as a model can read. */
import * as z from 'zod';
import { RdapResult } from '../lookups/rdap/schema.ts';
import { formatLines } from './text.ts';

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
  const lines = formatLines(summarized).replace(/^(?:summary\.omitted|summary\.dnssec\.ds|omittedCount): 0\n/gm, '');
  return lines + (data === null ? '' : `data: ${JSON.stringify(data)}\n`);
}
