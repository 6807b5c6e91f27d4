/** The list of tools: the server, its documentation and their limits follow from its rows. */
import * as z from 'zod';
import { ServiceError } from '../core/errors.ts';
import type { RequestContext } from '../core/request-context.ts';
import { DnsAnswer, dnsTypes } from '../lookups/dns/schema.ts';
import { addressLookup, headerLookup, recordLookup, registrationLookup } from '../lookups/list.ts';
import { GivenHeaders, givenHeaders, namesOfUrls } from '../traits/given-headers.ts';
import { type HeaderTraits, headerTraits } from '../traits/header-traits.ts';
import * as results from './results.ts';
import { defineTool, type Tool } from './tool.ts';

/** Longest User-Agent that servers accept. */
const maxUserAgentLength = 8192;

/** Names of arguments with which models say what to look up. */
const namesOfSubjects = ['ip', 'ip_address', 'address', 'host', 'hostname', 'domain', 'fqdn', 'query', 'q', 'target'];

/** Where response headers are graded. */
const gradeResponse = `to grade the response headers of a site, GET ${headerLookup.path}?${headerLookup.parameter.name}=URL on the same host`;

export const tools: readonly Tool[] = [
  defineTool({
    name: 'whoami',
    title: 'Who am I: address and location of the calling machine',
    description:
      "Returns the public IP address (on a local network, the private one), estimated location, ASN, organization, edge data center, TLS and HTTP versions, and client kind of the machine that calls this server: for a hosted assistant, its provider's server, never the user's device.",
    isLookup: false,
    inputSchema: z.object({
      include_headers: z
        .boolean()
        .optional()
        .describe('Whether to also list the HTTP headers of this call. If omitted: false.'),
    }),
    outputSchema: results.Whoami,
    explained: ['headers'],
    elsewhere: [
      {
        names: namesOfSubjects,
        advise: ({ hasAddressData = true }) =>
          hasAddressData
            ? `for another IP address, or its host name, GET ${addressLookup.path}?${addressLookup.parameter.name}=ADDRESS on the same host`
            : null,
      },
    ],
    run: ({ include_headers }, { observed }) => results.whoami(observed, include_headers ?? false),
    toText: results.formatWhoami,
  }),
  defineTool({
    name: 'check_headers',
    title: 'Check request headers for bot traits',
    description:
      'Finds traits of HTTP request headers that bot detection often weighs: a missing User-Agent or Accept-Language, Chrome without Client Hints, inconsistent versions or platforms, proxy headers with another IP address, DNT and GPC. Returns hints with reasons, not proofs. For a User-Agent alone, use parse_ua.',
    isLookup: false,
    inputSchema: z.object({
      headers: GivenHeaders.optional(),
      include_not_applicable: z
        .boolean()
        .optional()
        .describe('Whether to also list rules that do not apply. If omitted: false.'),
    }),
    outputSchema: results.CheckedHeaders,
    explained: ['source'],
    elsewhere: [
      { names: namesOfUrls, advise: () => gradeResponse },
      {
        names: ['user_agent', 'ua', 'accept', 'accept_language', 'accept_encoding'],
        advise: () => 'write it as a line of headers; for a User-Agent alone, use parse_ua',
      },
    ],
    run: checkHeaders,
    toText: results.formatTraits,
  }),
  defineTool({
    name: 'parse_ua',
    title: 'Parse a User-Agent',
    description:
      'Splits a User-Agent into browser, engine, operating system, device and CPU, and classifies the client: browser, crawler, AI agent, command-line tool, library and others. To check it together with other headers, use check_headers.',
    isLookup: false,
    inputSchema: z.object({
      user_agent: z
        .string()
        .max(maxUserAgentLength)
        .optional()
        .describe('User-Agent string. If omitted: that of this call.'),
    }),
    outputSchema: results.ParsedUserAgent,
    explained: ['bot'],
    synonyms: { user_agent: ['ua_string', 'string', 'text', 'input', 'value', 'query', 'header', 'headers'] },
    run: ({ user_agent }, { observed }) => results.parsedUserAgent(observed, user_agent),
  }),
  defineTool({
    name: 'dns_lookup',
    title: 'Look up DNS records',
    description:
      'Returns the DNS records of one type from a public resolver over HTTPS, with TTL, DNSSEC flag and, if there are none, a note that distinguishes a nonexistent name from a missing record type. With type PTR, the name may be an IP address. To find out who registered a domain or an IP address, use rdap_lookup.',
    isLookup: true,
    inputSchema: z.object({
      name: z.string().describe('Domain name, such as example.com or _dmarc.example.com; for PTR also an IP address.'),
      // The list is for the model; lower case is accepted too.
      type: z.string().optional().describe('DNS record type. If omitted: A.').meta({ enum: dnsTypes }),
    }),
    outputSchema: DnsAnswer,
    explained: ['exists', 'dnssec'],
    synonyms: { name: namesOfSubjects },
    elsewhere: [
      {
        names: ['server', 'resolver', 'nameserver', 'name_server', 'dns_server'],
        advise: () => 'the resolver cannot be chosen; the result names the one that responded',
      },
    ],
    // Models also send an empty type for the default; null is already omitted.
    run: ({ name, type }, context) => recordLookup.lookUp(Object.entries({ name, type: type || undefined }), context),
    toText: results.formatDns,
  }),
  defineTool({
    name: 'rdap_lookup',
    title: 'Look up who registered a domain or IP address',
    description:
      'Returns who registered a domain, IP address, CIDR block or AS number, from the authoritative RDAP server: registrant or organization, registrar, dates, status, name servers, abuse contact. For domains such as .com, the registrant may only be in the record at registrarRdap, which no tool queries. For DNS records, use dns_lookup.',
    isLookup: true,
    inputSchema: z.object({
      query: z
        .string()
        .describe('Domain name, IP address, CIDR block or AS number, such as example.com, 2001:db8::/32 or AS15169.'),
      include_raw: z
        .boolean()
        .optional()
        .describe(
          `Whether to also return the registry's JSON, up to ${results.maxRawLength} characters. If omitted: false.`,
        ),
    }),
    outputSchema: results.RdapLookup,
    explained: ['data'],
    synonyms: { query: [...namesOfSubjects, 'name', 'cidr', 'asn', 'autnum', 'resource'] },
    run: async ({ query, include_raw }, context) =>
      results.rdapLookup(await registrationLookup.lookUp([['q', query]], context), include_raw ?? false),
    toText: results.formatRdap,
  }),
];

/** Traits of the request's own headers. */
export function ownTraits({ observed, platform }: Pick<RequestContext, 'observed' | 'platform'>): HeaderTraits {
  const { headers, ip, handshake, origin, protocol } = observed;
  const http2 = protocol === null ? null : protocol === 'HTTP/2';
  const https = origin.startsWith('https:');
  return headerTraits({ headers, own: true, https, http2, ip, nowMs: platform.now(), handshake });
}

/** Programs read numbers and reasons of rules that do not apply only on request: half of the result would be about them. */
function checkHeaders(
  {
    headers,
    include_not_applicable: isAsked = false,
  }: { headers?: unknown; include_not_applicable?: boolean | undefined },
  context: RequestContext,
): results.CheckedHeaders {
  const { notApplicable, ...found } = headers === undefined ? ownTraits(context) : givenTraits(headers, context);
  const notApplicableCount = notApplicable.reduce((sum, { ids }) => sum + ids.length, 0);
  return { ...found, notApplicableCount, ...(isAsked && { notApplicable }) };
}

const responseHeaders = `check_headers checks the headers of a request; ${gradeResponse}.`;

function givenTraits(sent: unknown, context: RequestContext): HeaderTraits {
  const given = givenHeaders(sent);
  if ('isUrl' in given) throw new ServiceError('invalid_query', `This is a URL or a host name; ${responseHeaders}`);
  if ('isResponse' in given) throw new ServiceError('invalid_query', `These are response headers; ${responseHeaders}`);
  if ('error' in given) throw new ServiceError('invalid_query', given.error);
  const unobserved = { https: null, http2: null, ip: null, handshake: null };
  return headerTraits({ ...unobserved, headers: given.headers, own: false, nowMs: context.platform.now() });
}
