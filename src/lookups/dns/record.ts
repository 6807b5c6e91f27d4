/** Formats decoded DNS records: one line of text as in zone files, and the members of the result. */
import { formatOctets } from '../../core/address.ts';
import {
  certificateUsages,
  digestTypes,
  matchingTypes,
  securityAlgorithms,
  selectors,
  serviceKeyNames,
  sshAlgorithms,
  sshFingerprints,
} from '../../wire/dns/data/dns-parameters.ts';
import type { WireRecord } from '../../wire/dns/message.ts';
import { decimalEscape, labelOctets, Malformed } from '../../wire/dns/name.ts';
import type { Rdata } from '../../wire/dns/rdata.ts';
import type { ServiceParameter } from '../../wire/dns/service-parameters.ts';
import type { DnsRecord } from './schema.ts';

type Formatted = Pick<DnsRecord, 'data'> & Partial<DnsRecord>;

const none = { mx: null, txt: null, caa: null, soa: null };

/** A malformed record keeps its octets as text, in the form of unknown types (RFC 3597 §5). */
export function formatRecord({ name, type, ttl, octets, readData }: WireRecord): DnsRecord {
  const rdata = readData();
  const formatted: Formatted =
    rdata instanceof Malformed
      ? { data: `\\# ${octets.length} ${hex(octets)}`.trimEnd(), error: `Malformed: ${rdata.message}.` }
      : formatData(rdata);
  return { name, type, ttl, ...none, ...formatted };
}

function formatData(rdata: Rdata): Formatted {
  switch (rdata.type) {
    case 'A':
    case 'AAAA':
      return { data: formatOctets(rdata.address) };
    case 'NS':
    case 'PTR':
    case 'CNAME':
      return { data: rdata.target };
    case 'MX': {
      const { preference, exchange } = rdata;
      return { data: `${preference} ${exchange}`, mx: { preference, exchange } };
    }
    case 'TXT':
      // Joined before decoding: a character may span two strings.
      return {
        data: printable(Uint8Array.from(rdata.strings.flatMap((string) => [...string]))),
        txt: { chunks: rdata.strings.map(printable) },
      };
    case 'CAA': {
      const caa = { flags: rdata.flags, tag: printable(rdata.tag), value: printable(rdata.value) };
      return { data: `${caa.flags} ${caa.tag} ${quote(caa.value)}`, caa };
    }
    case 'SOA': {
      const { type: _, ...soa } = rdata;
      return { data: Object.values(soa).join(' '), soa };
    }
    case 'SRV': {
      const { type: _, ...srv } = rdata;
      return { data: Object.values(srv).join(' '), srv };
    }
    case 'HTTPS':
    case 'SVCB':
      return formatService(rdata);
    case 'NAPTR':
      return formatNaptr(rdata);
    default:
      return formatDigest(rdata);
  }
}

type RdataOf<Type extends Rdata['type']> = Extract<Rdata, { readonly type: Type }>;

/** Records whose numbers name algorithms: their names follow as a comment of zone files. */
function formatDigest(rdata: RdataOf<'DS' | 'DNSKEY' | 'TLSA' | 'SSHFP'>): Formatted {
  switch (rdata.type) {
    case 'DS': {
      const { keyTag, algorithm, digestType } = rdata;
      const digest = hex(rdata.digest);
      const algorithmName = securityAlgorithms[algorithm] ?? null;
      const digestTypeName = digestTypes[digestType] ?? null;
      return {
        data: `${keyTag} ${algorithmName ?? algorithm} ${digestType} ${digest}${comment([digestTypeName])}`,
        ds: { keyTag, algorithm, digestType, digest, algorithmName, digestTypeName },
      };
    }
    case 'DNSKEY': {
      const { flags, protocol, algorithm, keyTag } = rdata;
      const publicKey = base64(rdata.publicKey);
      const algorithmName = securityAlgorithms[algorithm] ?? null;
      return {
        data: `${flags} ${protocol} ${algorithmName ?? algorithm} ${publicKey}${comment([`key tag ${keyTag}`])}`,
        dnskey: { flags, protocol, algorithm, publicKey, keyTag, algorithmName },
      };
    }
    case 'TLSA': {
      const { certificateUsage: usage, selector, matchingType } = rdata;
      const certificateAssociationData = hex(rdata.certificateAssociationData);
      const names = [certificateUsages[usage], selectors[selector], matchingTypes[matchingType]];
      return {
        data: `${usage} ${selector} ${matchingType} ${certificateAssociationData}${comment(names)}`,
        tlsa: { certificateUsage: usage, selector, matchingType, certificateAssociationData },
      };
    }
    case 'SSHFP': {
      const { algorithm, fpType } = rdata;
      const fingerprint = hex(rdata.fingerprint);
      return {
        data: `${algorithm} ${fpType} ${fingerprint}${comment([sshAlgorithms[algorithm], sshFingerprints[fpType]])}`,
        sshfp: { algorithm, fpType, fingerprint },
      };
    }
  }
}

/** Empty if none of the numbers has a name. */
function comment(names: readonly (string | null | undefined)[]): string {
  const known = names.filter((name) => name !== null && name !== undefined);
  return known.length === 0 ? '' : ` ; ${known.join(' ')}`;
}

function formatNaptr({ order, preference, replacement, ...rdata }: RdataOf<'NAPTR'>): Formatted {
  const [flags, services, regexp] = [rdata.flags, rdata.services, rdata.regexp].map(printable) as [
    string,
    string,
    string,
  ];
  const texts = [flags, services, regexp].map(quote).join(' ');
  return {
    data: `${order} ${preference} ${texts} ${replacement}`,
    naptr: { order, preference, flags, services, regexp, replacement },
  };
}

/** RFC 9460 §2.1 */
function formatService({ svcPriority, targetName, svcParams }: RdataOf<'HTTPS' | 'SVCB'>): Formatted {
  const params = svcParams.map((each) => ({
    key: nameKey(each.key),
    values: valuesOf(each),
    list: each.kind === 'texts',
  }));
  const texts = params.map(({ key, values, list }) => {
    if (values.length === 0) return key;
    // RFC 9460 appendix A.1: in a list, a comma within a value is escaped once more.
    const text = values
      .map((value) => (list ? value.replaceAll('\\\\', '\\\\\\\\').replace(/,/g, '\\\\,') : value))
      .join(',');
    return `${key}=${/^[^\s"();]+$/.test(text) ? text : quote(text)}`;
  });
  return {
    data: [svcPriority, targetName, ...texts].join(' '),
    svcb: { svcPriority, targetName, svcParams: params.map(({ key, values }) => ({ key, values })) },
  };
}

const nameKey = (key: number): string => serviceKeyNames[key] ?? `key${key}`;

function valuesOf(parameter: ServiceParameter): string[] {
  switch (parameter.kind) {
    case 'keys':
      return parameter.keys.map(nameKey);
    case 'texts':
      return parameter.texts.map(printable);
    case 'empty':
      return [];
    case 'port':
      return [String(parameter.port)];
    case 'addresses':
      return parameter.addresses.map(formatOctets);
    case 'base64':
      return [base64(parameter.octets)];
    case 'octets':
      return parameter.octets.length === 0 ? [] : [printable(parameter.octets)];
  }
}

const hex = (octets: Uint8Array): string =>
  Array.from(octets, (octet) => octet.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();

const base64 = (octets: Uint8Array): string => btoa(Array.from(octets, (octet) => String.fromCharCode(octet)).join(''));

/** A character-string of a zone file; `text` as `printable` returns it. */
export const quote = (text: string): string => `"${text.replaceAll('"', '\\"')}"`;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const utf8 = new TextEncoder();

/**
 * Unambiguous free text: a backslash as `\\`; as `\DDD` the octets of every invisible or control character, or, if the
 * text is not UTF-8, all octets that are not ASCII.
 */
export function printable(bytes: Uint8Array): string {
  try {
    return strictUtf8
      .decode(bytes)
      .replace(/[\p{C}\p{Zl}\p{Zp}\\]/gu, (found) =>
        found === '\\' ? '\\\\' : Array.from(utf8.encode(found), decimalEscape).join(''),
      );
  } catch {
    return Array.from(bytes, (octet) =>
      octet === 0x20 || octet === 0x2e ? String.fromCharCode(octet) : labelOctets[octet],
    ).join('');
  }
}
