/** Checks that a DNS zone is delegated to this service: each record that is needed, and each server as a resolver reaches it. */
import { randomBytes } from 'node:crypto';
import {
  type DelegationContext,
  type Finding,
  failed,
  joinAll,
  ok,
  ownData,
  recordText,
  statusText,
  tryResolve,
  unknown,
} from './context.ts';
import { dnsPort, type Reaction } from './name-server.ts';
import { checkParentZone } from './parent-zone.ts';
import { checkServerNames, isLocal, type ServerAddress } from './server-names.ts';

/**
 * Returns the failures first, then the other findings, both in the order in which a resolver depends on them: so the cause is above what
 * follows from it. Rejects if no resolver responds at all.
 */
export async function checkDelegation(context: DelegationContext): Promise<readonly Finding[]> {
  await context.resolve(context.zone.slice(context.zone.lastIndexOf('.') + 1), 'NS');
  const [names, ofParent] = await Promise.all([checkServerNames(context), checkParentZone(context)]);
  const ofServers = await Promise.all(names.servers.map((server) => checkServer(server, context)));
  const ofZone = ofParent.length > 0 ? ofParent : await checkRecords(context);
  // A fault of the parent zone may be the reason why the names of the servers do not resolve.
  const records = ofZone.some(isFailed) ? [...ofZone, ...names.findings] : [...names.findings, ...ofZone];
  const before = [...records, ...checkSharing(names.servers, context), ...ofServers.flat()];
  const all = [...before, ...(await checkResolution(context, before.some(isFailed)))];
  return (['failed', 'unknown', 'ok'] as const).flatMap((result) => all.filter((finding) => finding.result === result));
}

const isFailed = ({ result }: Finding): boolean => result === 'failed';

/** The records that resolvers show: what is left if the servers of the parent zone do not respond to this machine. */
async function checkRecords(context: DelegationContext): Promise<readonly Finding[]> {
  const { zone, nameServers } = context;
  const [answer, signatures] = await Promise.all([tryResolve(zone, 'NS', context), tryResolve(zone, 'DS', context)]);
  const needed = joinAll(nameServers.map((name) => recordText(zone, 'NS', `${name}.`)));
  const unread = unknown(`the servers of the parent zone of ${zone} do not respond to this machine`);
  if (answer?.cnameChain[0] !== undefined)
    return [
      unread,
      failed(
        `${zone} is an alias (CNAME) of ${answer.cnameChain[0]}; add to its parent zone, in place of the CNAME record, ${needed}`,
      ),
    ];
  if (ownData(signatures, zone).length > 0)
    return [
      unread,
      failed(
        `${zone} has a DS record, but is not signed, so resolvers that validate reject it; remove the record from the parent zone`,
      ),
    ];
  const found = ownData(answer, zone);
  if (found.length > 0) return [ok(`resolvers find ${zone}, with NS ${joinAll(found)}`)];
  if (answer?.status === 'NOERROR' || answer?.status === 'NXDOMAIN')
    return [unread, failed(`${zone} is not delegated; add to its parent zone ${needed}`)];
  return [
    unread,
    unknown(`resolvers get no response for ${zone} (${statusText(answer)}); its parent zone must contain ${needed}`),
  ];
}

/** Several addresses may be those of several instances, of which a resolver chooses one. */
function checkSharing(servers: readonly ServerAddress[], { zone, hasStore }: DelegationContext): readonly Finding[] {
  const addresses = [...new Set(servers.map(({ address }) => address))];
  const isSeveral = [4, 6].some((version) => addresses.filter((each) => versionOf(each) === version).length > 1);
  if (hasStore || !isSeveral) return [];
  return [
    unknown(
      `the servers of ${zone} have several addresses; if they are several instances, set RATE_LIMIT_STORE on each, or a query may reach another one than the request that waits for it`,
    ),
  ];
}

const versionOf = (address: string): 4 | 6 => (address.includes(':') ? 6 : 4);

/** One finding for each transport. */
async function checkServer(
  { name, address }: ServerAddress,
  { zone, queryServer }: DelegationContext,
): Promise<readonly Finding[]> {
  const [udp, tcp] = await Promise.all([queryServer(address, 'udp', zone), queryServer(address, 'tcp', zone)]);
  // Linux reports an unreachable network to TCP sockets only.
  const reactions = { udp: udp === 'silent' && tcp === 'unroutable' ? tcp : udp, tcp };
  return Object.entries(reactions).map(([transport, reaction]) => {
    const port = `port ${dnsPort} over ${transport.toUpperCase()}`;
    const describe = reaction === 'answers' ? ok : reaction === 'untested' ? unknown : failed;
    return describe(`${address} ${port} ${reactionTexts[reaction]({ name, zone, port })}`);
  });
}

interface Where {
  readonly name: string;
  readonly zone: string;
  readonly port: string;
}

const reactionTexts: Readonly<Record<Reaction, (where: Where) => string>> = {
  answers: () => 'answers for the zone',
  other: ({ name, zone }) =>
    `responds, but not for the zone; set DNS_ZONE=${zone} for the service, stop another DNS server there, or correct the address of ${name}`,
  resolver: () =>
    'responds as a resolver, not as this service; stop that resolver, or set DNS_HOST to an address that only this service uses',
  elsewhere: () =>
    'is answered from another address, so resolvers ignore the response; forward UDP with connection tracking, or set DNS_HOST to the address that is forwarded to',
  silent: ({ port }) =>
    `does not respond; open ${port} in every firewall that drops it. If it is open, run this command outside of the network of the service`,
  rejected: ({ port }) =>
    `is rejected by a firewall (administratively prohibited), or a router does not find the machine; open ${port} there`,
  closed: () => 'is closed; start the service with DNS_ZONE, and forward port 53 to DNS_PORT',
  unroutable: ({ name }) =>
    `is unreachable: a router on the way has no route to its network, or prohibits it; correct the address of ${name}, or the router`,
  untested: () => 'was not tested, because this machine has no route to it',
};

/** A resolver with several paths to the service uses one of them for each query. */
const resolutions = 4;

/** `hasFailed`: whether something has failed that may be the reason if nothing resolves. The names have a new label, which no resolver has in its cache. */
async function checkResolution(context: DelegationContext, hasFailed: boolean): Promise<readonly Finding[]> {
  const { zone, nameServers } = context;
  const answers = await Promise.all(
    Array.from({ length: resolutions }, () =>
      tryResolve(`${randomBytes(4).toString('hex')}.whoami.${zone}`, 'TXT', context),
    ),
  );
  const texts = answers.map((answer) => answer?.records[0]?.txt?.chunks.join(' '));
  const shown = texts.find((text) => text !== undefined);
  const [first = null] = answers;
  const through = first === null ? '' : ` through ${first.resolver}`;
  if (shown === undefined)
    return [
      failed(
        `whoami.${zone} does not resolve${through} (${statusText(first)}); ${hasFailed ? 'see the failures above' : 'resolvers cache failures for up to five minutes, and missing records for the time in the SOA record of the parent zone: try again then. If it still fails, open port 53 for all addresses, not only for that of this machine'}`,
      ),
    ];
  const addresses = texts.map((text) => /(?:^| )address=(\S+)/.exec(text ?? '')?.[1]);
  const hidden = addresses.find((address) => address !== undefined && isLocal(address));
  if (hidden !== undefined)
    return [
      failed(
        `whoami.${zone} shows ${hidden} as the address of a public resolver: a gateway in front of the service replaces the addresses of resolvers, so every visitor would see a false one; give the service its packets unchanged, such as with --network host (docs/deploy/dns.md, "Hidden resolver addresses")`,
      ),
    ];
  const stated = ownData(await tryResolve(zone, 'NS', context), zone);
  if (stated.length > 0 && new Set(stated).symmetricDifference(new Set(nameServers)).size > 0)
    return [
      failed(
        `the service states the name servers ${joinAll(stated)} of ${zone}; set DNS_NAME_SERVERS=${nameServers.join(',')} for it, or correct that of this command`,
      ),
    ];
  return [ok(`whoami.${zone} resolves${through}: ${shown}`)];
}
