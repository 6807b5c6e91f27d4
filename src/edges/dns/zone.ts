/** The zone of the service: what it answers to each query. Pure. */
import { formatOctets, octetsOf, parseAddress, unmapped } from '../../core/address.ts';
import { internetClass, queryTypes, type ResponseCode } from '../../wire/dns/data/dns-parameters.ts';
import { asciiOctets, labelsOf } from '../../wire/dns/name.ts';
import type { ObservedQuery } from '../../wire/dns/query.ts';
import {
  type Answer,
  emptyAnswer,
  type ServedRdata,
  type ServedRecord,
  typeNumberOf,
} from '../../wire/dns/response.ts';

interface ZoneOptions {
  /** Name of the zone, as `parseDnsName` returns it. */
  readonly zone: string;
  /** Host names of the servers of the zone, outside of it; at least one. */
  readonly nameServers: readonly string[];
  /** IP addresses of the service, which names with an id have. */
  readonly addresses: readonly string[];
}

/** A name of the form `<number>-<id>.<zone>`, or one below it. */
interface ProbeName {
  /** 16 to 32 hexadecimal digits, in lower case. */
  readonly id: string;
  /** The number before the id: 0 to 99. */
  readonly number: number;
  /** Number of labels before `<number>-<id>`. */
  readonly depth: number;
}

/** TTL in seconds of the records about the zone's servers; all others have 0, so that each query reaches this server. */
const delegationTtl = 3_600;

const probePattern = /^(\d{1,2})-([\da-f]{16,32})$/;

const whoamiLabel = 'whoami';

export function createZone({ zone, nameServers, addresses }: ZoneOptions) {
  const zoneLabels = labelsOf(zone).length;
  const soa: ServedRdata = {
    type: 'SOA',
    mname: nameServers[0] ?? zone,
    rname: `hostmaster.${zone}`,
    serial: 1,
    refresh: 3_600,
    retry: 600,
    expire: 86_400,
    minimum: 0,
  };
  const apex = [soa, ...nameServers.map((target): ServedRdata => ({ type: 'NS', target }))];
  const addressData = addresses.flatMap(addressRdata);

  /** The labels of a name below the zone, in lower case; none of the zone itself, null if it is elsewhere. */
  const labelsBelow = (name: string): readonly string[] | null => {
    const labels = labelsOf(name.toLowerCase());
    const at = labels.length - zoneLabels;
    return at >= 0 && labels.slice(at).join('.') === zone ? labels.slice(0, at) : null;
  };

  const deny = (rcode: ResponseCode): Answer => ({
    ...emptyAnswer(rcode),
    isAuthoritative: true,
    authorities: [{ name: zone, ttl: 0, rdata: soa }],
  });

  return {
    answer(query: ObservedQuery): Answer {
      const labels = labelsBelow(query.name);
      const { type } = query;
      const isTransfer = type === queryTypes.AXFR || type === queryTypes.IXFR;
      if (labels === null || query.class !== internetClass || isTransfer) return emptyAnswer('REFUSED');
      const label = labels.at(-1);
      const isWhoami = label === whoamiLabel;
      if (label !== undefined && !isWhoami && !probePattern.test(label)) return deny('NXDOMAIN');
      const data = label === undefined ? apex : isWhoami ? describe(query) : addressData;
      const ttl = label === undefined ? delegationTtl : 0;
      const answers = recordsOf(type, data).map((rdata): ServedRecord => ({ name: query.name, ttl, rdata }));
      const found =
        answers.length > 0 ? { ...emptyAnswer('NOERROR'), isAuthoritative: true, answers } : deny('NOERROR');
      return { ...found, isForSubnet: isWhoami };
    },

    /** Null if no name with an id is in this one. */
    probeOf(name: string): ProbeName | null {
      const labels = labelsBelow(name);
      const [, number, id] = probePattern.exec(labels?.at(-1) ?? '') ?? [];
      if (labels === null || id === undefined) return null;
      return { id, number: Number(number), depth: labels.length - 1 };
    },
  };
}

/** Whether a name has letters of both cases, as resolvers send it that compare the case of the response ("0x20"). */
export const isMixedCase = (name: string): boolean => /[a-z]/.test(name) && /[A-Z]/.test(name);

/** The network of its client that a resolver passes on, in CIDR notation; null if it passes none on. */
export function clientSubnetOf({ edns }: ObservedQuery): string | null {
  const subnet = edns?.clientSubnet;
  return subnet ? `${formatOctets(subnet.address)}/${subnet.prefixLength}` : null;
}

/** RFC 8482 §4.2: a query for records of any type gets one placeholder record. */
const anyData: ServedRdata = { type: 'HINFO', cpu: asciiOctets('RFC8482'), os: asciiOctets('') };

function recordsOf(type: number, data: readonly ServedRdata[]): readonly ServedRdata[] {
  return type === queryTypes.ANY ? [anyData] : data.filter((each) => typeNumberOf(each) === type);
}

/** The values of a query: as text, one string for each, and the address of its sender. */
function describe(query: ObservedQuery): readonly ServedRdata[] {
  const { address, port, transport, name, edns } = query;
  const values = {
    address,
    port,
    transport,
    ednsBufferBytes: edns?.bufferBytes ?? 'none',
    dnssecOk: edns?.dnssecOk ?? false,
    cookie: edns?.hasCookie ?? false,
    clientSubnet: clientSubnetOf(query) ?? 'none',
    mixedCase: isMixedCase(name),
  };
  const strings = Object.entries(values).map(([key, value]) => asciiOctets(`${key}=${value}`));
  return [{ type: 'TXT', strings }, ...addressRdata(address)];
}

/** The record of an IP address; none if it has a scope, such as `fe80::1%eth0`. */
function addressRdata(text: string): ServedRdata[] {
  const address = parseAddress(text);
  if (address === null) return [];
  const reached = unmapped(address);
  return [{ type: reached.version === 4 ? 'A' : 'AAAA', address: octetsOf(reached) }];
}
