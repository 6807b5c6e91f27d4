/**
 * The faults of a delegation that `zone check` must name, as changes of a world in which everything is right, and a reader who does what the
 * first line says.
 */

export const zone = 'dns.seen.example';
export const parent = 'seen.example';
export const nameServer = `ns.${parent}`;

/** Public addresses of the servers of the root and of `example`, of `seen.example`, of resolvers and of the service. */
export const addresses = {
  root: '25.0.0.1',
  parent: '25.0.0.2',
  secondary: '25.0.0.3',
  stray: '25.0.0.5',
  resolver: '25.0.0.6',
  service: '25.0.0.7',
  gateway: '172.17.0.1',
} as const;

/** A record as in a zone file, without its class: `ns.seen.example. A 25.0.0.7`. */
type Line = string;

export interface World {
  /** Records of `seen.example`. */
  records: Line[];
  /** Those of its second server; null if it has the same. */
  oldRecords: Line[] | null;
  /** Whether the server of `seen.example` also has a zone of its own with the name of ours. */
  hasOwnZone: boolean;
  /** Whether the signatures of `seen.example` have expired. */
  isExpired: boolean;
  /** Rules of nftables for packets that arrive. */
  rules: string[];
  /** Whether a gateway replaces the addresses of those who query the service. */
  hidesAddresses: boolean;
  /** What listens on the address of the service. */
  service: 'seenby' | 'another resolver' | 'one that answers from another address' | 'nothing';
  /** The settings of the service. */
  serviceZone: string;
  serviceNameServers: string[];
  /** The settings of the command. */
  checkedZone: string;
}

export const rightWorld = (): World => ({
  records: [`${nameServer}. A ${addresses.service}`, `${zone}. NS ${nameServer}.`],
  oldRecords: null,
  hasOwnZone: false,
  isExpired: false,
  rules: [],
  hidesAddresses: false,
  service: 'seenby',
  serviceZone: zone,
  serviceNameServers: [nameServer],
  checkedZone: zone,
});

const remove = (world: World, ...lines: readonly Line[]): void => {
  world.records = world.records.filter((line) => !lines.includes(line));
};
const replace = (world: World, before: Line, ...after: readonly Line[]): void => {
  remove(world, before);
  world.records.push(...after);
};

const delegation = `${zone}. NS ${nameServer}.`;
const address = `${nameServer}. A ${addresses.service}`;
const target = 'host.elsewhere.example';
const digest = 'AB'.repeat(32);
const toService = (protocol: string, action: string) => `ip daddr ${addresses.service} ${protocol} dport 53 ${action}`;

/** By its name, what it changes, and a part of the first line that only it has. */
export const faults: Readonly<Record<string, readonly [change: (world: World) => void, firstLine: RegExp]>> = {
  'no NS record': [(world) => remove(world, delegation), /^dns\.seen\.example is not delegated; add/],
  'an alias instead of the NS record': [
    (world) => replace(world, delegation, `${zone}. CNAME ${target}.`),
    /is an alias \(CNAME\) of host\.elsewhere\.example, where its NS records belong/,
  ],
  'a wildcard alias instead of the NS record': [
    (world) => replace(world, delegation, `*.${parent}. CNAME ${target}.`),
    /by a wildcard record; add/,
  ],
  'NS records of another provider': [
    (world) => replace(world, delegation, `${zone}. NS ns1.elsewhere.example.`, `${zone}. NS ns2.elsewhere.example.`),
    /delegates .* to ns1\.elsewhere\.example and ns2\.elsewhere\.example; replace/,
  ],
  'an NS record too many': [
    (world) => world.records.push(`${zone}. NS ns1.elsewhere.example.`),
    /; remove from the zone .* NS /,
  ],
  'a DS record': [(world) => world.records.push(`${zone}. DS 4711 13 2 ${digest}`), /has a DS record/],
  'a zone of the same name at the parent': [
    (world) => {
      world.hasOwnZone = true;
    },
    /have a zone dns\.seen\.example of their own/,
  ],
  'a server of the parent with an old copy': [
    (world) => {
      world.oldRecords = world.records.filter((line) => line !== delegation);
    },
    /disagree about/,
  ],
  'a parent whose signatures have expired': [
    (world) => {
      world.isExpired = true;
    },
    /^seen\.example does not resolve \(SERVFAIL\)/,
  ],
  'a domain that does not exist': [
    (world) => {
      world.checkedZone = 'dns.sene.example';
    },
    /^sene\.example does not exist/,
  ],
  'no address of the name server': [(world) => remove(world, address), /^ns\.seen\.example has no address/],
  'an alias as name server': [
    (world) => replace(world, address, `${nameServer}. CNAME www.${parent}.`, `www.${parent}. A ${addresses.service}`),
    /^ns\.seen\.example is an alias/,
  ],
  'a private address of the name server': [
    (world) => replace(world, address, `${nameServer}. A 10.0.0.7`),
    /^ns\.seen\.example has 10\.0\.0\.7, which resolvers on the internet cannot reach/,
  ],
  'UDP dropped': [(world) => world.rules.push(toService('udp', 'drop')), /over UDP does not respond/],
  'TCP dropped': [(world) => world.rules.push(toService('tcp', 'drop')), /over TCP does not respond/],
  'UDP rejected': [
    (world) => world.rules.push(toService('udp', 'reject with icmp type admin-prohibited')),
    /over UDP is rejected by a firewall/,
  ],
  'TCP rejected': [
    (world) => world.rules.push(toService('tcp', 'reject with icmp type admin-prohibited')),
    /over TCP is rejected by a firewall/,
  ],
  'no route on the way': [
    (world) => {
      replace(world, address, `${nameServer}. A ${addresses.stray}`);
      world.rules.push(`ip daddr ${addresses.stray} th dport 53 reject with icmp type net-unreachable`);
    },
    /is unreachable: a router on the way/,
  ],
  'nothing that listens': [
    (world) => {
      world.service = 'nothing';
    },
    /over UDP is closed/,
  ],
  'another DNS_ZONE': [
    (world) => {
      world.serviceZone = `other.${parent}`;
    },
    /responds, but not for the zone; set DNS_ZONE/,
  ],
  'a resolver at the address': [
    (world) => {
      world.service = 'another resolver';
    },
    /responds as a resolver/,
  ],
  'responses from another address': [
    (world) => {
      world.service = 'one that answers from another address';
    },
    /is answered from another address/,
  ],
  'a gateway that hides resolvers': [
    (world) => {
      world.hidesAddresses = true;
    },
    /shows 172\.17\.0\.1 as the address of a public resolver: a gateway/,
  ],
  'another DNS_NAME_SERVERS': [
    (world) => {
      world.serviceNameServers = [`ns2.${parent}`];
    },
    /^the service states the name servers ns2\.seen\.example/,
  ],
  'a firewall that is open only for the operator': [
    (world) => world.rules.push(`ip saddr ${addresses.resolver} ip daddr ${addresses.service} drop`),
    /does not resolve .*open port 53 for all addresses/,
  ],
};

/** The records in quotation marks of a text. */
const quoted = (text = ''): string[] => [...text.matchAll(/"([^"]+)"/g)].map(([, line = '']) => line);

/** What a reader does who finds these words in the first line; the groups are what the line names. */
const steps: readonly (readonly [words: RegExp, act: (world: World, ...named: readonly string[]) => void])[] = [
  [/add to the zone seen\.example (".*")/, (world, added) => world.records.push(...quoted(added))],
  [
    /remove from the zone seen\.example (?:each record )?(".*")/,
    (world, removed) => {
      const starts = quoted(removed);
      world.records = world.records.filter((line) => !starts.some((start) => line.startsWith(start)));
    },
  ],
  [
    /replace in the zone seen\.example (".*") with (".*")/,
    (world, before, after) => {
      remove(world, ...quoted(before));
      world.records.push(...quoted(after));
    },
  ],
  [
    /replace ("ns\.seen\.example\. .*") with .*public IP address(?:es)? of this service/,
    (world, before) => replace(world, quoted(before)[0] ?? '', address),
  ],
  [/add an A or AAAA record with a public IP address/, (world) => world.records.push(address)],
  [
    /delete that zone there/,
    (world) => {
      world.hasOwnZone = false;
      // It stands in the line, too, but this world has the record already.
      world.records = [...new Set(world.records)];
    },
  ],
  [
    /increase the serial number of seen\.example/,
    (world) => {
      world.oldRecords = null;
    },
  ],
  [
    /correct the delegation, the servers or the DS record of seen\.example first/,
    (world) => {
      world.isExpired = false;
    },
  ],
  [
    /register it, or correct DNS_ZONE/,
    (world) => {
      world.checkedZone = zone;
    },
  ],
  [
    /open port 53 over (UDP|TCP) /,
    (world, protocol) => {
      world.rules = world.rules.filter((rule) => !rule.includes(` ${protocol?.toLowerCase()} `));
    },
  ],
  [
    /open port 53 for all addresses/,
    (world) => {
      world.rules = [];
    },
  ],
  [
    /start the service with DNS_ZONE|stop that resolver|forward UDP with connection tracking/,
    (world) => {
      world.service = 'seenby';
    },
  ],
  [
    /set DNS_ZONE=(\S+) for the service/,
    (world, named) => {
      world.serviceZone = named ?? '';
    },
  ],
  [
    /correct the address of ns\.seen\.example, or the router/,
    (world) => {
      world.records = world.records.map((line) => (line.startsWith(`${nameServer}. A `) ? address : line));
    },
  ],
  [
    /give the service its packets unchanged/,
    (world) => {
      world.hidesAddresses = false;
    },
  ],
  [
    /set DNS_NAME_SERVERS=(\S+) for it/,
    (world, named) => {
      world.serviceNameServers = [named ?? ''];
    },
  ],
];

/** Changes the world as the line says; returns whether it says anything that can be done. */
export function follow(line: string, world: World): boolean {
  const done = steps.flatMap(([words, act]) => {
    const found = words.exec(line);
    if (found !== null) act(world, ...found.slice(1));
    return found === null ? [] : [words];
  });
  return done.length > 0;
}
