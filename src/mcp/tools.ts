/** The list of tools: the server, its documentation and their limits follow from its rows. */
import * as z from 'zod';
import { GivenHeaders, givenHeaders } from '../client/header-input.ts';
import { HeaderTraits, headerTraits } from '../client/header-traits.ts';
import { parseUserAgent, userAgent } from '../client/user-agent.ts';
import { UserAgent } from '../client/user-agent-schema.ts';
import { ServiceError } from '../core/errors.ts';
import { DnsAnswer } from '../lookups/dns/answer.ts';
import { dnsLookup } from '../lookups/dns/dns-lookup.ts';
import { dnsType } from '../lookups/dns/name.ts';
import { dnsTypes } from '../lookups/dns/record.ts';
import { outboundUserAgent } from '../lookups/outbound-user-agent.ts';
import { rdap } from '../lookups/rdap/rdap.ts';
import { dnsText } from './dns-text.ts';
import { RdapLookup, rdapLookup, rdapText } from './rdap-lookup.ts';
import { lines } from './text.ts';
import type { Tool, ToolCall } from './tool.ts';
import { traitsText } from './traits-text.ts';
import { Whoami, whoami } from './whoami.ts';

/** No User-Agent that a server takes is longer. */
const maxUserAgentLength = 8192;

export const tools: readonly Tool[] = [
  row({
    name: 'whoami',
    title: 'Who is calling: address, location and connection of the calling machine',
    description:
      'Public IP address, estimated location, autonomous system and organization, edge data center, TLS and HTTP versions and kind of client of the machine that calls this server. A hosted assistant sees its own provider’s server here, not the device of its user.',
    rates: [],
    openWorld: false,
    inputSchema: z.strictObject({
      include_headers: z.boolean().optional().describe('Whether to list the HTTP headers of the call as well'),
    }),
    outputSchema: Whoami,
    answer: ({ include_headers }, { observed }) => whoami(observed, include_headers ?? false),
    text: lines,
  }),
  row({
    name: 'check_headers',
    title: 'Check request headers for traits that bot detection weights',
    description:
      'Finds in a set of HTTP request headers what bot detection often weights: a missing User-Agent or Accept-Language, Chrome without Client Hints, versions or platforms that contradict each other, proxy headers with another address, DNT and GPC. Hints with reasons, not proofs. Without input it checks the headers of this call.',
    rates: [],
    openWorld: false,
    inputSchema: z.strictObject({ headers: GivenHeaders.optional() }),
    outputSchema: HeaderTraits,
    answer: checkHeaders,
    text: traitsText,
  }),
  row({
    name: 'parse_ua',
    title: 'Parse a User-Agent',
    description:
      'Takes a User-Agent string apart into browser, engine, operating system, device and CPU, and says what kind of client it is: browser, crawler, AI agent, command-line tool, library and so on. Without input it reads the User-Agent of this call.',
    rates: [],
    openWorld: false,
    inputSchema: z.strictObject({
      user_agent: z
        .string()
        .max(maxUserAgentLength)
        .optional()
        .describe('The User-Agent to parse; left out: that of this call'),
    }),
    outputSchema: UserAgent,
    answer: ({ user_agent }, { observed }) =>
      user_agent === undefined ? userAgent(observed.headers) : parseUserAgent(user_agent),
    text: lines,
  }),
  row({
    name: 'dns_lookup',
    title: 'Look up DNS records',
    description: `DNS records of a name (${dnsTypes.join(', ')}) from a public resolver over HTTPS, with TTL, whether DNSSEC validated them, and a note that tells a name that does not exist from one without records of this type.`,
    rates: ['lookup'],
    openWorld: true,
    inputSchema: z.strictObject({
      name: z.string().describe('Domain name, such as example.com or _dmarc.example.com'),
      // The list is for the model; a type in lower case is taken too.
      type: z.string().optional().describe('Record type; A when left out').meta({ enum: dnsTypes }),
    }),
    outputSchema: DnsAnswer,
    answer: ({ name, type }, { platform, base }) =>
      dnsLookup(name, dnsType(type ?? 'A'), platform, outboundUserAgent(base)),
    text: dnsText,
  }),
  row({
    name: 'rdap_lookup',
    title: 'Look up who registered a domain, IP address or AS number',
    description:
      'Registration of a domain, an IP address or CIDR block, or an AS number, from the RDAP server that IANA names as its authority: holder, registrar, dates, status, name servers, abuse contact.',
    rates: ['lookup'],
    openWorld: true,
    inputSchema: z.strictObject({
      query: z.string().describe('Such as example.com, 192.0.2.1, 2001:db8::/32 or AS15169'),
      include_raw: z.boolean().optional().describe('Whether to add the registry’s own JSON, up to a bound'),
    }),
    outputSchema: RdapLookup,
    answer: async ({ query, include_raw }, { platform, base }) =>
      rdapLookup(await rdap(query, platform, outboundUserAgent(base)), include_raw ?? false),
    text: rdapText,
  }),
];

/** Holds a row's functions to its own schemas, which the list as a whole cannot. */
function row<Input extends z.ZodObject, Output extends z.ZodObject>(tool: Tool<Input, Output>): Tool {
  return tool as unknown as Tool;
}

/** The traits of this call's own headers. */
export function ownTraits({ observed, platform }: Pick<ToolCall, 'observed' | 'platform'>): HeaderTraits {
  const { headers, ip, origin, protocol } = observed;
  const http2 = protocol === null ? null : protocol === 'HTTP/2';
  return headerTraits({ headers, own: true, https: origin.startsWith('https:'), http2, ip, nowMs: platform.now() });
}

function checkHeaders(input: { headers?: unknown }, call: ToolCall): HeaderTraits {
  if (input.headers === undefined) return ownTraits(call);
  const given = givenHeaders(input.headers);
  if ('error' in given) throw new ServiceError('invalid_query', given.error);
  const nowMs = call.platform.now();
  return headerTraits({ headers: given.headers, own: false, https: null, http2: null, ip: null, nowMs });
}
