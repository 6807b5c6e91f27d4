/** The summary of a domain (RFC 9083 §5.3). */
import * as z from 'zod';
import { toAscii } from './domain-name.ts';
import { Abuse, abuse, entitiesOf, withRole } from './entities.ts';
import { cardOf } from './jcard.ts';
import { booleanOf, integerOf, isObject, type JsonObject, listOf, objectsOf, textOf } from './json.ts';
import { eventOf, linkOf, statusOf } from './members.ts';

const text = z.string().nullable();
const time = z.iso.datetime().nullable();

export const DomainSummary = z
  .strictObject({
    name: text.describe('A-label form, lower case'),
    unicodeName: text.describe('The name as people write it; null where the registry does not say'),
    handle: text.describe('Identifier in the registry'),
    status: z.array(z.string()).describe('In the words of RDAP (RFC 8056), such as "client transfer prohibited"'),
    registered: time,
    expires: time,
    updated: time.describe('When the registration last changed'),
    transferred: time.describe('When the registrar last changed'),
    registrar: z
      .strictObject({
        name: text.describe('Its handle where the registry gives no name'),
        ianaId: z.int().nullable().describe("Number in IANA's list of registrars"),
        url: text,
        email: text,
        phone: text,
      })
      .nullable(),
    abuse: Abuse.nullable(),
    registrant: z
      .strictObject({
        name: text,
        organization: text,
        country: text.describe('Two-letter code, or the name where that is all there is'),
        redacted: z.boolean().describe('Whether the registry says that it withholds some of it'),
      })
      .nullable(),
    nameservers: z.array(z.string()).describe('Lower case, without the final dot'),
    dnssec: z.strictObject({
      signed: z.boolean().nullable().describe('Whether the parent zone delegates with DS records; null when not said'),
      ds: z.int().describe('Count of DS records'),
    }),
    registrarRdap: text.describe('Where the registrar says more by RDAP; not followed'),
    whoisServer: text,
    redacted: z.array(z.string()).describe('Names of what the registry left out (RFC 9537)'),
  })
  .meta({ id: 'DomainSummary', description: 'Registration of a domain name' });
export type DomainSummary = z.infer<typeof DomainSummary>;

export function domainSummary(data: JsonObject): DomainSummary {
  const entities = entitiesOf(data);
  const redacted = redactedOf(data);
  return {
    ...namesOf(data),
    handle: textOf(data.handle),
    status: statusOf(data),
    registered: eventOf(data, 'registration'),
    expires: eventOf(data, 'expiration'),
    updated: eventOf(data, 'last changed'),
    transferred: eventOf(data, 'transfer'),
    registrar: registrarOf(entities),
    abuse: abuse(entities),
    registrant: registrantOf(entities, redacted),
    nameservers: nameserversOf(data),
    dnssec: dnssecOf(data),
    registrarRdap: linkOf(data, 'related', 'application/rdap+json'),
    whoisServer: textOf(data.port43),
    redacted,
  };
}

function namesOf(data: JsonObject): Pick<DomainSummary, 'name' | 'unicodeName'> {
  // Some servers send U-labels as ldhName, or unicodeName alone.
  const name = toAscii(textOf(data.ldhName) ?? textOf(data.unicodeName) ?? '');
  const isAscii = name !== null && !/(?:^|\.)xn--/.test(name);
  return { name, unicodeName: isAscii ? name : (textOf(data.unicodeName)?.toLowerCase() ?? null) };
}

function registrarOf(entities: readonly JsonObject[]): DomainSummary['registrar'] {
  const [registrar] = withRole(entities, 'registrar');
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

/** An empty name may be redaction rather than absence (RFC 9537 §3), and so may a missing registrant. */
function registrantOf(entities: readonly JsonObject[], redacted: readonly string[]): DomainSummary['registrant'] {
  const [registrant] = withRole(entities, 'registrant');
  const isListed = redacted.some((name) => /\bregistrant\b/i.test(name));
  if (registrant === undefined && !isListed) return null;
  const { name, organization, country, isRedacted } = cardOf(registrant ?? {});
  const isRemarked = objectsOf(registrant?.remarks).some(({ title, type }) =>
    /redacted/i.test(`${textOf(title)} ${textOf(type)}`),
  );
  return { name, organization, country, redacted: isListed || isRedacted || isRemarked };
}

function nameserversOf(data: JsonObject): string[] {
  const names = listOf(data.nameservers).map((nameserver) =>
    isObject(nameserver) ? (textOf(nameserver.ldhName) ?? textOf(nameserver.unicodeName)) : textOf(nameserver),
  );
  return [...new Set(names.filter((name) => name !== null).map((name) => name.toLowerCase().replace(/\.$/, '')))];
}

function dnssecOf(data: JsonObject): DomainSummary['dnssec'] {
  // .fr spells it secureDns.
  const [secureDns = {}] = objectsOf(data.secureDNS ?? data.secureDns);
  const ds = listOf(secureDns.dsData).length;
  const hasKeys = ds > 0 || listOf(secureDns.keyData).length > 0;
  return { signed: booleanOf(secureDns.delegationSigned) ?? (hasKeys || null), ds };
}

function redactedOf(data: JsonObject): string[] {
  const names = objectsOf(data.redacted).map(({ name }) => {
    const [named] = objectsOf(name);
    return textOf(named?.description) ?? textOf(named?.type) ?? textOf(name);
  });
  return [...new Set(names.filter((name) => name !== null))];
}
