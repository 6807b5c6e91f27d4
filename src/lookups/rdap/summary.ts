/** Summarizes an RDAP object: a domain (RFC 9083 §5.3), a block of IP addresses (§5.4) or of AS numbers (§5.5). */
import { type Address, formatAddress, widthOf } from '../../core/address.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import { booleanOf, boundList, integerOf, listOf, objectsOf, textOf, textsOf } from './json.ts';
import { abuse, cardOf, entitiesOf, eventOf, filterByRole, linkOf, organization, statusOf } from './members.ts';
import type { RdapQuery } from './query.ts';
import { type AutnumSummary, type DomainSummary, type IpSummary, type RdapResult, type Rir, rirs } from './schema.ts';
import { addressOf, domainNameOf, rangesOf } from './verification.ts';

/**
 * Reads the fields that are present: a missing or malformed member becomes null or an empty list. `source` is the URL
 * of the object.
 */
export function summarize(kind: RdapQuery['kind'], data: JsonObject, source: string): RdapResult['summary'] {
  if (kind === 'domain') return domainSummary(data);
  return kind === 'ip' ? ipSummary(data, source) : autnumSummary(data, source);
}

export function domainSummary(data: JsonObject): DomainSummary {
  const name = domainNameOf(data);
  const isAscii = name !== null && !/(?:^|\.)xn--/.test(name);
  const entities = entitiesOf(data);
  const redacted = redactedOf(data);
  const registrant = registrantOf(entities, redacted);
  const registrarRdap = linkOf(data, 'related', 'application/rdap+json');
  const status = boundList(statusOf(data), data.status);
  const nameservers = boundList(nameserversOf(data), data.nameservers);
  const withheld = boundList(redacted, data.redacted);
  return {
    name,
    unicodeName: isAscii ? name : (textOf(data.unicodeName)?.toLowerCase() ?? null),
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
    /redacted|truncated due to authorization/i.test(`${textOf(title)} ${textOf(type)}`),
  );
  const isMarked = textsOf(registrant?.status).some((status) => withheldStatus.has(status.toLowerCase()));
  return { name, organization, country, redacted: isListedAsRedacted || isRedacted || hasRemark || isMarked };
}

/** Status values of an entity of which a part is not public, or changed so that it does not show the real value (RFC 9083 §10.2.2). */
const withheldStatus: ReadonlySet<string> = new Set(['private', 'removed', 'obscured']);

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

export function ipSummary(data: JsonObject, source: string): IpSummary {
  const start = addressOf(data.startAddress);
  const end = addressOf(data.endAddress);
  const version = start?.version ?? /^v([46])$/i.exec(textOf(data.ipVersion) ?? '')?.[1];
  return {
    ...identityOf(data),
    startAddress: start && formatAddress(start),
    endAddress: end && formatAddress(end),
    cidrs: rangesOf(data).flatMap((range) => cidrsOf(range.start, range.end)),
    ipVersion: version === undefined ? null : Number(version) === 4 ? 4 : 6,
    parentHandle: textOf(data.parentHandle),
    ...commonFieldsOf(data, source),
  };
}

export function autnumSummary(data: JsonObject, source: string): AutnumSummary {
  return {
    ...identityOf(data),
    startAutnum: integerOf(data.startAutnum),
    endAutnum: integerOf(data.endAutnum),
    ...commonFieldsOf(data, source),
  };
}

const identityOf = ({ handle, name, type }: JsonObject) => ({
  handle: textOf(handle),
  name: textOf(name),
  type: textOf(type),
});

function commonFieldsOf(data: JsonObject, source: string) {
  const entities = entitiesOf(data);
  const country = textOf(data.country);
  const { list: status, omitted } = boundList(statusOf(data), data.status);
  return {
    country: country !== null && /^[a-z]{2}$/i.test(country) ? country.toUpperCase() : null,
    status,
    registered: eventOf(data, 'registration'),
    updated: eventOf(data, 'last changed'),
    organization: organization(entities),
    abuse: abuse(entities),
    whoisServer: textOf(data.port43),
    rir: rirOf(source),
    omitted,
  };
}

function rirOf(source: string): Rir | null {
  const host = URL.parse(source)?.hostname ?? '';
  const isOf = (domain: string) => host === domain || host.endsWith(`.${domain}`);
  return (Object.keys(rirs) as Rir[]).find((rir) => rirs[rir].some(isOf)) ?? null;
}

/** The fewest blocks that make up the range: at most 62 of IPv4, 254 of IPv6; none if `end` is before `start`. */
export function cidrsOf(start: Address, end: Address): string[] {
  if (start.version !== end.version) return [];
  const cidrs: string[] = [];
  for (let first = start.bits; first <= end.bits; ) {
    let hostBits = 0n;
    const fits = (size: bigint): boolean => first % size === 0n && first + size - 1n <= end.bits;
    while (hostBits < widthOf(start) && fits(2n << hostBits)) hostBits++;
    cidrs.push(`${formatAddress({ version: start.version, bits: first })}/${BigInt(widthOf(start)) - hostBits}`);
    first += 1n << hostBits;
  }
  return cidrs;
}
