/**
 * Checks the records of a zone in its parent zone. Resolvers show those of the zone itself instead, so the servers of the parent zone are
 * queried directly.
 */
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
} from './context.ts';
import type { AuthorityReply } from './name-server.ts';

/** What a server of the parent zone has at the name of the zone. */
type Cut =
  | { readonly kind: 'delegated'; readonly nameServers: readonly string[]; readonly hasDs: boolean }
  | { readonly kind: 'alias'; readonly target: string; readonly isWildcard: boolean }
  /** No record, or none that matters. */
  | { readonly kind: 'absent' }
  /** The server has a zone with this name of its own. */
  | { readonly kind: 'own zone' };

/** More servers than a zone usually has. */
const maxServers = 8;

/** The name without its first label; empty if it has no other. */
const above = (name: string): string => name.split('.').slice(1).join('.');

/** Returns no finding if the servers of the parent zone do not respond to this machine. */
export async function checkParentZone(context: DelegationContext): Promise<readonly Finding[]> {
  const found = await findParent(context);
  if (found === null) return [];
  if ('result' in found) return [found];
  const { parent, servers } = found;
  const copies = await Promise.all(servers.slice(0, maxServers).map((server) => readCut(server, context)));
  const known = servers.flatMap((server, at) => {
    const cut = copies[at] ?? null;
    return cut === null ? [] : [{ server, failures: failuresOf(cut, parent, context) }];
  });
  const [faulty, ...others] = known.filter(({ failures }) => failures.length > 0);
  if (faulty !== undefined && others.length + 1 < known.length)
    return [
      failed(
        `the servers of ${parent} disagree about ${context.zone}: ${faulty.server} does not have the records of the others; increase the serial number of ${parent}, so that this server updates its copy of the zone`,
      ),
    ];
  if (faulty !== undefined) return faulty.failures;
  return known.length === 0
    ? []
    : [ok(`the zone ${parent} delegates ${context.zone} to ${joinAll(context.nameServers)}`)];
}

/** The nearest zone above, and its servers; a finding if there is none; null if it is not known. */
async function findParent(
  context: DelegationContext,
): Promise<{ readonly parent: string; readonly servers: readonly string[] } | Finding | null> {
  const { zone } = context;
  let missing: string | null = null;
  for (let name = above(zone); name !== ''; name = above(name)) {
    const answer = await tryResolve(name, 'NS', context);
    const servers = ownData(answer, name);
    if (servers.length > 0 && missing !== null && above(name) === '')
      return failed(`${missing} does not exist; register it, or correct DNS_ZONE`);
    if (servers.length > 0) return { parent: name, servers };
    if (answer?.status === 'NXDOMAIN') missing = name;
    else if (answer?.status !== 'NOERROR')
      return failed(
        `${name} does not resolve (${statusText(answer)}), and so nothing below it does; correct the delegation, the servers or the DS record of ${name} first`,
      );
  }
  return null;
}

/** Null if no address of the server has a usable response. */
async function readCut(server: string, context: DelegationContext): Promise<Cut | null> {
  const answers = await Promise.all((['A', 'AAAA'] as const).map((type) => tryResolve(server, type, context)));
  for (const answer of answers) {
    const address = answer?.records[0]?.data;
    const cut = address === undefined ? null : await readCutAt(address, context);
    if (cut !== null) return cut;
  }
  return null;
}

async function readCutAt(address: string, { zone, queryAuthority }: DelegationContext): Promise<Cut | null> {
  const reply = await queryAuthority(address, zone, 'NS');
  if (reply === null) return null;
  const [target] = dataOf(reply.answers, zone, 'CNAME');
  if (target !== undefined) {
    const sibling = `${randomBytes(8).toString('hex')}.${above(zone)}`;
    const other = await queryAuthority(address, sibling, 'NS');
    return { kind: 'alias', target, isWildcard: dataOf(other?.answers ?? [], sibling, 'CNAME')[0] === target };
  }
  const nameServers = dataOf(reply.authorities, zone, 'NS').toSorted();
  if (nameServers.length > 0 && !reply.isAuthoritative) {
    const ds = (await queryAuthority(address, zone, 'DS'))?.answers ?? [];
    return { kind: 'delegated', nameServers, hasDs: dataOf(ds, zone, 'DS').length > 0 };
  }
  // Not a server of the parent zone, but a resolver in between.
  if (!reply.isAuthoritative) return null;
  if (dataOf(reply.answers, zone, 'NS').length > 0) return { kind: 'own zone' };
  return reply.status === 'NOERROR' || reply.status === 'NXDOMAIN' ? { kind: 'absent' } : null;
}

const dataOf = (records: AuthorityReply['answers'], owner: string, type: string): readonly string[] =>
  records
    .filter((record) => record.type === type && record.name.toLowerCase() === owner)
    .map(({ data }) => data.toLowerCase());

function failuresOf(cut: Cut, parent: string, { zone, nameServers }: DelegationContext): readonly Finding[] {
  const recordsOf = (names: readonly string[]) => joinAll(names.map((name) => recordText(zone, 'NS', `${name}.`)));
  const needed = recordsOf(nameServers);
  if (cut.kind === 'absent') return [failed(`${zone} is not delegated; add to the zone ${parent} ${needed}`)];
  if (cut.kind === 'own zone')
    return [
      failed(
        `the servers of ${parent} have a zone ${zone} of their own; delete that zone there, and add to the zone ${parent} ${needed}`,
      ),
    ];
  if (cut.kind === 'alias' && cut.isWildcard)
    return [
      failed(
        `${zone} is not delegated, but an alias (CNAME) of ${cut.target} by a wildcard record; add to the zone ${parent} ${needed}`,
      ),
    ];
  if (cut.kind === 'alias')
    return [
      failed(
        `${zone} is an alias (CNAME) of ${cut.target}, where its NS records belong; replace in the zone ${parent} ${recordText(zone, 'CNAME', `${cut.target}.`)} with ${needed}`,
      ),
    ];
  return [
    ...nameServerFailures(cut.nameServers, parent, { zone, nameServers, recordsOf }),
    ...dsFailures(cut.hasDs, parent, zone),
  ];
}

interface Needed extends Pick<DelegationContext, 'zone' | 'nameServers'> {
  readonly recordsOf: (names: readonly string[]) => string;
}

function nameServerFailures(
  found: readonly string[],
  parent: string,
  { zone, nameServers, recordsOf }: Needed,
): readonly Finding[] {
  const extra = recordsOf(found.filter((name) => !nameServers.includes(name)));
  const missing = recordsOf(nameServers.filter((name) => !found.includes(name)));
  if (extra === '' && missing === '') return [];
  const change =
    extra === ''
      ? `add to the zone ${parent} ${missing}`
      : missing === ''
        ? `remove from the zone ${parent} ${extra}`
        : `replace in the zone ${parent} ${extra} with ${missing}`;
  return [failed(`the zone ${parent} delegates ${zone} to ${joinAll(found)}; ${change}, or correct DNS_NAME_SERVERS`)];
}

const dsFailures = (hasDs: boolean, parent: string, zone: string): readonly Finding[] =>
  hasDs
    ? [
        failed(
          `${zone} has a DS record, but is not signed, so resolvers that validate reject it; remove from the zone ${parent} each record "${zone}. DS"`,
        ),
      ]
    : [];
