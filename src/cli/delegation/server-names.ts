/** Checks the names of the servers in DNS_NAME_SERVERS, as resolvers know them. */
import { isLocalAddress, parseAddress } from '../../core/address.ts';
import type { DnsAnswer } from '../../lookups/dns/schema.ts';
import { type DelegationContext, type Finding, failed, ok, recordText, statusText, tryResolve } from './context.ts';

/** An address of a server. */
export interface ServerAddress {
  readonly name: string;
  readonly address: string;
}

interface ServerNames {
  readonly findings: readonly Finding[];
  readonly servers: readonly ServerAddress[];
}

export async function checkServerNames(context: DelegationContext): Promise<ServerNames> {
  const checked = await Promise.all(
    context.nameServers.map(async (name) => {
      const answers = await Promise.all(types.map((type) => tryResolve(name, type, context)));
      const addresses = answers.flatMap((answer) => answer?.records.map(({ data }) => data) ?? []);
      const servers = addresses.map((address) => ({ name, address }));
      return { findings: checkServerName(name, addresses, answers), servers };
    }),
  );
  return { findings: checked.flatMap(({ findings }) => findings), servers: checked.flatMap(({ servers }) => servers) };
}

const types = ['A', 'AAAA'] as const;

/** `answers`: those for A and AAAA. */
function checkServerName(
  name: string,
  addresses: readonly string[],
  answers: readonly (DnsAnswer | null)[],
): readonly Finding[] {
  const target = answers.flatMap((answer) => answer?.cnameChain ?? [])[0];
  // RFC 2181 §10.3. BIND skips it.
  if (target !== undefined)
    return [
      failed(
        `${name} is an alias (CNAME) of ${target}, and some resolvers skip such a name server; replace ${recordText(name, 'CNAME', `${target}.`)} with A or AAAA records with the public IP addresses of this service`,
      ),
    ];
  const local = addresses.filter(isLocal).map((address) => {
    const type = address.includes(':') ? 'AAAA' : 'A';
    return failed(
      `${name} has ${address}, which resolvers on the internet cannot reach; replace ${recordText(name, type, address)} with a public IP address of this service`,
    );
  });
  if (local.length > 0) return local;
  if (addresses.length > 0) return [ok(`${name} has ${addresses.join(' and ')}`)];
  const unclear = answers.findIndex((answer) => answer?.status !== 'NOERROR' && answer?.status !== 'NXDOMAIN');
  if (unclear !== -1)
    return [
      failed(
        `the addresses of ${name} are not known (${types[unclear]}: ${statusText(answers[unclear] ?? null)}); correct the zone of this name first`,
      ),
    ];
  return [
    failed(
      `${name} has no address (${statusText(answers[0] ?? null)}); add an A or AAAA record with a public IP address of this service`,
    ),
  ];
}

/** Whether the address is valid only in one network. */
export function isLocal(address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && isLocalAddress(parsed);
}
