/** Validates the arguments of a lookup command before it sends anything. */
import { registrationTool, ServiceError } from '../../core/errors.ts';
import {
  adviseOnCommas,
  type CommandDescription,
  type CommandFlags,
  type ItemSeparator,
  UsageError,
} from '../commands.ts';
import type { Item } from '../output.ts';
import { baseUrlOf } from '../own-service.ts';

/** Throws a ServiceError if the lookup of the item cannot succeed. */
type Validate = (item: Item) => unknown;

/** By command; each loads only what reads its arguments. */
const validators: Readonly<Record<string, (flags: CommandFlags) => Validate | Promise<Validate>>> = {
  me:
    () =>
    ({ name }) =>
      baseUrlOf(name),
  async ip() {
    const { parseRequested } = await import('../../lookups/ip/ip-lookup.ts');
    const { dnsNameOf } = await import('../../lookups/dns/name.ts');
    return ({ name }) => {
      // No address has a top-level domain: letters, or an A-label (RFC 5890 §2.3.2.1).
      if (/\.(?:[a-z]{2,}|xn--[a-z\d-]+)$/.test(dnsNameOf(name) ?? ''))
        throw new UsageError(`ip ${name}: This is not an IP address; for a domain, type: domain ${name}`);
      return name.includes('://') ? baseUrlOf(name) : parseRequested(name);
    };
  },
  async port() {
    const { parsePort } = await import('../../lookups/port/port-check.ts');
    return ({ name }) => parsePort(name);
  },
  async domain() {
    const { nameOfReport } = await import('../../lookups/report.ts');
    return ({ name }) => nameOfReport(name);
  },
  async whois() {
    const { parseQuery } = await import('../../lookups/rdap/query.ts');
    return ({ name }) => parseQuery(name);
  },
  async dns() {
    const { parseDnsType, parseQueryName } = await import('../../lookups/dns/name.ts');
    return ({ name, choice = 'A' }) => parseQueryName(name, parseDnsType(choice));
  },
  async grade(flags) {
    const { targetOf } = await import('../../lookups/headers-check/target.ts');
    const { headerLookup } = await import('../../lookups/list.ts');
    return ({ name }) => targetOf(headerLookup.complete?.(name) ?? name, permittedBy(flags));
  },
  async cert(flags) {
    const { certificateTarget } = await import('../../lookups/certificate/check.ts');
    return ({ name }) => certificateTarget(name, permittedBy(flags));
  },
};

/** The targets that a terminal permits, besides those of the service. */
export const permittedBy = ({ 'allow-private': privateAddresses = false }: CommandFlags) => ({
  ownHosts: [],
  anyPort: true,
  privateAddresses,
});

/**
 * Returns the function that describes the problem of an item that is not valid, else returns null. Any other error, such as a private
 * address, is a result of the lookup.
 */
export async function openValidation({ name: command, args }: CommandDescription, flags: CommandFlags) {
  const validate = await validators[command]?.(flags);
  const problemOf = (item: Item): Error | null => {
    try {
      validate?.(item);
      return null;
    } catch (error) {
      const named = withItem(error as Error, item, command);
      return named instanceof ServiceError ? null : named;
    }
  };
  return (item: Item, separator: ItemSeparator): Error | null => {
    const problem = problemOf(item);
    if (problem === null || !args.includes('...')) return problem;
    const isValid = (name: string): boolean => problemOf({ ...item, name }) === null;
    const advice = adviseOnCommas(item.name, isValid, separator);
    return advice === '' ? problem : new UsageError(`${problem.message}${advice}`, { cause: problem });
  };
}

/** An error about an argument, not about what the lookup found, names the command and the argument. */
export function withItem(error: Error, { label }: Pick<Item, 'label'>, command: string): Error {
  const isUsageError = error instanceof ServiceError && ['invalid_query', 'invalid_url'].includes(error.code);
  if (!isUsageError) return error;
  // The tool and the endpoint have another name here.
  const message = error.message.replace(registrationTool, 'whois');
  return new UsageError(`${[command, label].join(' ').trimEnd()}: ${message}`, { cause: error });
}
