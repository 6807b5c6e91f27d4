/** The tool `rdap_lookup`: the summary of a registration, and as much of the raw answer as a model can take. */
import * as z from 'zod';
import { RdapResult } from '../lookups/rdap/rdap-result.ts';
import { lines } from './text.ts';
import type { ToolCall } from './tool.ts';

/** Clients cut or refuse results of some 25,000 tokens; JSON has about three characters to one. */
const maxRawLength = 24_000;
/** RFC 9083 knows some twenty members; a registry may send what it likes. */
const maxNames = 20;
const maxNameLength = 40;

export const RdapLookup = RdapResult.omit({ data: true }).extend({
  data: RdapResult.shape.data.nullable().describe('The answer of the registry (RFC 9083); null unless asked for'),
  omitted: z
    .array(z.string())
    .describe(`Members of the registry's answer that are not in data, which holds ${maxRawLength} characters at most`),
});
export type RdapLookup = z.infer<typeof RdapLookup>;

export function rdapLookup({ data, ...summarized }: RdapResult, includeRaw: boolean): RdapLookup {
  return { ...summarized, ...(includeRaw ? bounded(data) : { data: null, omitted: [] }) };
}

/** Leaves out the largest members until the rest fits. */
function bounded(data: RdapResult['data']): Pick<RdapLookup, 'data' | 'omitted'> {
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
  };
}

/** The first revision with structured results; clients name their revision in every call since. */
const structuredSince = '2025-06-18';

export function rdapText({ data, ...summarized }: RdapLookup, { observed }: ToolCall): string {
  const readsStructured = (observed.headers['mcp-protocol-version'] ?? '') >= structuredSince;
  return lines(summarized) + (data === null || readsStructured ? '' : `data: ${JSON.stringify(data)}\n`);
}
