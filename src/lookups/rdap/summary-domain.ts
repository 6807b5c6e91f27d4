/** Summarizes the RDAP object of a domain (RFC 9083 §5.3). */
import * as z from 'zod';

import { Abuse, abuse, entitiesOf, filterByRole } from './entities.ts';
import { cardOf } from './jcard.ts';
import { booleanOf, boundList, integerOf, isObject, type JsonObject, listOf, objectsOf, textOf } from './json.ts';
import { eventOf, linkOf, NullableText, NullableTime, Omitted, statusOf } from './members.ts';
import { domainNameOf } from './verification.ts';

export const DomainSummary = z
  .strictObject({
    name: NullableText.describe('A-label form, lower case'),
    unicodeName: NullableText.describe('The name with Unicode characters; null if the registry does not state it'),
    handle: NullableText.describe('Identifier in the registry'),
    status: z.array(z.string()).describe('RDAP status values (RFC 8056), such as "client transfer prohibited"'),
    registered: NullableTime.describe('First registration'),
    expires: NullableTime.describe('End of the registration unless it is renewed'),
    updated: NullableTime.describe('Last change of the registration'),
    transferred: NullableTime.describe('Last transfer to another registrar'),
    registrar: z
      .strictObject({
        name: NullableText.describe('Name, or the handle if the registry states no name'),
        ianaId: z.int().nullable().describe("Number in IANA's list of registrars"),
        url: NullableText.describe('Website of the registrar'),
        email: NullableText.describe('Email address of the registrar'),
        phone: NullableText.describe('Phone number of the registrar'),
      })
      .nullable()
      .describe('Company through which the name is registered; null if not stated'),
    abuse: Abuse.nullable().describe('Contact for abuse reports; null if not stated'),
    registrant: z
      .strictObject({
        name: NullableText.describe('Name of the person'),
        organization: NullableText.describe('Name of the organization'),
        country: NullableText.describe('Two-letter code, or the name if the code is unknown'),
        redacted: z.boolean().describe('Whether the registry withholds some of it'),
      })
      .nullable()
      .describe('Holder of the registration; null if not stated'),
    nameservers: z.array(z.string()).describe('Lower case, without the trailing dot'),
    dnssec: z.strictObject({
      signed: z.boolean().nullable().describe('Whether the parent zone has DS records for it; null if not stated'),
      ds: z.int().describe('Number of DS records'),
    }),
    registrarRdap: NullableText.describe(
      "URL of the registrar's own RDAP record, which may contain the registrant; this service does not query it, because IANA lists no registrars",
    ),
    registrantNote: NullableText.describe(
      'Where to find the registrant if the registry does not publish it; otherwise null',
    ),
    whoisServer: NullableText.describe('Host name of the WHOIS server with the same record'),
    redacted: z.array(z.string()).describe('Names of the fields that the registry withheld (RFC 9537)'),
    omitted: Omitted,
  })
  .meta({ id: 'DomainSummary', description: 'Registration of a domain name' });
export type DomainSummary = z.infer<typeof DomainSummary>;

export function domainSummary(data: JsonObject): DomainSummary {
  const entities = entitiesOf(data);
  const redacted = redactedOf(data);
  const registrant = registrantOf(entities, redacted);
  const registrarRdap = linkOf(data, 'related', 'application/rdap+json');
  const [status, nameservers, withheld] = [
    boundList(statusOf(data), data.status),
    boundList(nameserversOf(data), data.nameservers),
    boundList(redacted, data.redacted),
  ];
  return {
    ...namesOf(data),
    handle: textOf(data.handle),
    status: status.list,
    registered: eventOf(data, 'registration'),
    expires: eventOf(data, 'expiration'),
    updated: eventOf(data, 'last changed'),
    transferred: eventOf(data, 'transfer'),
    registrar: registrarOf(entities),
    abuse: abuse(entities),
    registrant,
    nameservers: nameservers.list,
    dnssec: dnssecOf(data),
    registrarRdap,
    registrantNote: registrantNoteOf(registrant, registrarRdap),
    whoisServer: textOf(data.port43),
    redacted: withheld.list,
    omitted: status.omitted + nameservers.omitted + withheld.omitted,
  };
}

function namesOf(data: JsonObject): Pick<DomainSummary, 'name' | 'unicodeName'> {
  const name = domainNameOf(data);
  const isAscii = name !== null && !/(?:^|\.)xn--/.test(name);
  return { name, unicodeName: isAscii ? name : (textOf(data.unicodeName)?.toLowerCase() ?? null) };
}

function registrarOf(entities: readonly JsonObject[]): DomainSummary['registrar'] {
  const [registrar] = filterByRole(entities, 'registrar');
  if (registrar === undefined) return null;
  const { name, organization, url, email, phone } = cardOf(registrar);
  const ianaId = objectsOf(registrar.publicIds).find(({ type }) => /^iana registrar id$/i.test(textOf(type) ?? ''));
  return {
    name: name ?? organization ?? textOf(registrar.handle),
    ianaId: integerOf(ianaId?.identifier),
    url: url ?? linkOf(registrar, 'about', null),
    email,
    phone,
  };
}

/** An empty name or a missing registrant may mean redaction instead of absence (RFC 9537 §3). */
function registrantOf(entities: readonly JsonObject[], redacted: readonly string[]): DomainSummary['registrant'] {
  const [registrant] = filterByRole(entities, 'registrant');
  const isListedAsRedacted = redacted.some((name) => /\bregistrant\b/i.test(name));
  if (registrant === undefined && !isListedAsRedacted) return null;
  const { name, organization, country, isRedacted } = cardOf(registrant ?? {});
  const hasRemark = objectsOf(registrant?.remarks).some(({ title, type }) =>
    /redacted/i.test(`${textOf(title)} ${textOf(type)}`),
  );
  return { name, organization, country, redacted: isListedAsRedacted || isRedacted || hasRemark };
}

/** For generic top-level domains only the registrar knows the registrant; the registry links to its RDAP server. */
function registrantNoteOf(registrant: DomainSummary['registrant'], registrarRdap: string | null): string | null {
  if (registrarRdap === null || registrant?.name != null || registrant?.organization != null) return null;
  return `The registry does not publish the registrant. The registrar's RDAP server may: ${registrarRdap}`;
}

function nameserversOf(data: JsonObject): string[] {
  const names = listOf(data.nameservers).map((nameserver) =>
    isObject(nameserver) ? (textOf(nameserver.ldhName) ?? textOf(nameserver.unicodeName)) : textOf(nameserver),
  );
  return [...new Set(names.filter((name) => name !== null).map((name) => name.toLowerCase().replace(/\.$/, '')))];
}

function dnssecOf(data: JsonObject): DomainSummary['dnssec'] {
  // .fr names it secureDns.
  const [secureDns = {}] = objectsOf(data.secureDNS ?? data.secureDns);
  const ds = listOf(secureDns.dsData).length;
  const hasKeys = ds > 0 || listOf(secureDns.keyData).length > 0;
  return { signed: booleanOf(secureDns.delegationSigned) ?? (hasKeys || null), ds };
}

function redactedOf(data: JsonObject): string[] {
  const names = objectsOf(data.redacted).map(({ name }) => {
    const [details] = objectsOf(name);
    return textOf(details?.description) ?? textOf(details?.type) ?? textOf(name);
  });
  return [...new Set(names.filter((name) => name !== null))];
}
