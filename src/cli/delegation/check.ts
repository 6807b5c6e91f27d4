/** Checks that a DNS zone is delegated to this service: each record that is needed, and each server as a resolver reaches it. */
import { randomBytes } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import type { DnsAnswer, DnsType } from '../../lookups/dns/schema.ts';
import { dnsPort, type QueryServer, type Reaction } from './name-server.ts';

interface DelegationContext {
  readonly zone: string;
  /** Names of the servers in DNS_NAME_SERVERS. */
  readonly nameServers: readonly string[];
  /** Rejects with a ServiceError if no resolver responds. */
  readonly resolve: (name: string, type: DnsType) => Promise<DnsAnswer>;
  readonly queryServer: QueryServer;
}

/** `unknown`: this machine cannot test it, or resolvers do not show it. */
export interface Finding {
  readonly result: 'ok' | 'failed' | 'unknown';
  /** The finding; for a failure, also what to change. */
  readonly text: string;
}

/** Yields the findings in the order in which a resolver depends on them; rejects as `resolve` does for a name of a server. */
export async function* checkDelegation(context: DelegationContext): AsyncGenerator<Finding> {
  const addresses = new Set<string>();
  for (const name of context.nameServers) {
    const [ipv4, ipv6] = await Promise.all([context.resolve(name, 'A'), context.resolve(name, 'AAAA')]);
    const own = [...ipv4.records, ...ipv6.records].map(({ data }) => data);
    for (const address of own) addresses.add(address);
    yield checkServerName(name, own, [ipv4, ipv6]);
  }
  yield* checkRecords(context);
  for (const address of addresses) yield* checkServer(address, context);
  yield* checkResolution(context);
}

/** Whether resolvers can use the name of a server. `own`: its addresses, from the answers for A and AAAA. */
function checkServerName(name: string, own: readonly string[], answers: readonly DnsAnswer[]): Finding {
  const target = answers.flatMap(({ cnameChain }) => cnameChain).at(-1);
  // RFC 2181 §10.3. BIND skips it.
  if (target !== undefined)
    return failed(
      `${name} is an alias (CNAME) of ${target}, and some resolvers skip such a name server; replace the CNAME record with A or AAAA records`,
    );
  if (own.length > 0) return ok(`${name} has ${own.join(' and ')}`);
  const unclear = answers.find(({ status }) => status !== 'NOERROR' && status !== 'NXDOMAIN');
  if (unclear !== undefined)
    return {
      result: 'unknown',
      text: `the addresses of ${name} are not known, because the response for type ${unclear.type} is ${unclear.status}; check the name servers of its zone`,
    };
  return failed(
    `${name} has no address (${answers[0]?.status}); add an A or AAAA record with a public IP address of this service`,
  );
}

const ok = (text: string): Finding => ({ result: 'ok', text });
const failed = (text: string): Finding => ({ result: 'failed', text });

/** Null if no resolver responds: one that tries every server of the zone before it fails may take longer than a lookup waits. */
async function resolveInZone(name: string, type: DnsType, { resolve }: DelegationContext): Promise<DnsAnswer | null> {
  try {
    return await resolve(name, type);
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

/** The records that resolvers return. NS records come from the service itself, so those of the parent zone may differ unnoticed. */
async function* checkRecords(context: DelegationContext): AsyncGenerator<Finding> {
  const { zone, nameServers } = context;
  const { status, records } = (await resolveInZone(zone, 'NS', context)) ?? { status: 'SERVFAIL', records: [] };
  const found = records.map(({ data }) => data.toLowerCase());
  const needed = nameServers.map((name) => `"${zone}. NS ${name}."`).join(' and ');
  if (status === 'SERVFAIL')
    yield failed(
      `resolvers get no response for ${zone}; add ${needed} to its parent zone, and start the service with DNS_ZONE. If both are done, try again in five minutes, because resolvers cache failures`,
    );
  else if (found.length === 0) yield failed(`${zone} is not delegated; add to its parent zone ${needed}`);
  else if (new Set(found).symmetricDifference(new Set(nameServers)).size > 0)
    yield failed(
      `${zone} has the name servers ${found.join(', ')}; change them or DNS_NAME_SERVERS, so that both are the same`,
    );
  else yield ok(`resolvers find ${zone}, with NS ${found.join(' and ')}`);
  const signatures = await resolveInZone(zone, 'DS', context);
  if (signatures !== null && signatures.records.length > 0)
    yield failed(
      `${zone} has a DS record, but is not signed, so resolvers that validate reject it; remove the record from the parent zone`,
    );
}

async function* checkServer(address: string, { zone, queryServer }: DelegationContext): AsyncGenerator<Finding> {
  for (const transport of ['udp', 'tcp'] as const) {
    const reaction = await queryServer(address, transport, zone);
    const where = `${address} port ${dnsPort} over ${transport.toUpperCase()}`;
    const result = reaction === 'answers' ? 'ok' : reaction === 'unreachable' ? 'unknown' : 'failed';
    yield { result, text: `${where} ${reactionTexts[reaction]}` };
  }
}

const reactionTexts: Readonly<Record<Reaction, string>> = {
  answers: 'answers for the zone',
  other: 'responds, but not for the zone; stop the other DNS server there, or correct DNS_ZONE of the service',
  silent: 'does not respond; open it in every firewall, or run this command outside of the network of the service',
  closed: 'is closed; start the service with DNS_ZONE, and forward port 53 to DNS_PORT',
  unreachable: 'was not tested, because this machine has no route to it',
};

/** The name has a new label, which no resolver has in its cache. */
async function* checkResolution(context: DelegationContext): AsyncGenerator<Finding> {
  const { zone } = context;
  const answer = await resolveInZone(`${randomBytes(4).toString('hex')}.whoami.${zone}`, 'TXT', context);
  const text = answer?.records[0]?.txt?.chunks.join(' ');
  const resolver = answer === null ? '' : ` through ${answer.resolver}`;
  if (text !== undefined) yield ok(`whoami.${zone} resolves${resolver}: ${text}`);
  else {
    const reason = answer?.status ?? 'no response in time';
    yield failed(`whoami.${zone} does not resolve${resolver} (${reason}); see the failures above`);
  }
}
