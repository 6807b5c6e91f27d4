/** The arguments of `dns`: names and types in any order, as dig and doggo take them, and the right line for what only those take. */
import { parseAddress } from '../../core/address.ts';
import { typeNumbers } from '../../wire/dns/data/dns-parameters.ts';
import { type CommandFlags, UsageError } from '../commands.ts';

export interface DnsArguments {
  readonly names: readonly string[];
  /** As typed; empty for the default. */
  readonly types: readonly string[];
  readonly flags: CommandFlags;
}

interface Context {
  /** The command as a user types it. */
  readonly program: string;
  /** Throws an Error that names the types: given, because this module is loaded before it is known whether a command needs schemas. */
  readonly parseType: (word: string) => unknown;
}

const isType = (word: string): boolean => Object.hasOwn(typeNumbers, word.toUpperCase());
/** A word that is not a type and has none of these is a mistyped type, if there is a name. */
const looksLikeName = (word: string): boolean => word === '-' || /[.:]/.test(word);

/** Throws a UsageError with the right line for a server (`@1.1.1.1`), and for an option of dig except `+short`; also for an unknown type. */
export function readDnsArguments(
  args: readonly string[],
  flags: CommandFlags,
  { program, parseType }: Context,
): DnsArguments {
  const words = args.flatMap((arg) => arg.split(',')).filter((word) => word !== '');
  const foreign = words.find((word) => /^[@+]/.test(word) && !isShort(word));
  if (foreign !== undefined) {
    const reason = foreign.startsWith('@')
      ? 'only the resolvers in --doh-url are queried, over HTTPS'
      : 'no option of this command';
    throw new UsageError(`dns ${foreign}: ${reason}; type: ${lineOf(args, program)}`);
  }
  const lists = args.map((arg) => arg.split(',')).filter((members) => members.length > 1 && members.some(isType));
  for (const word of lists.flat().filter(isMistyped)) validateType(word, parseType);
  const known = flags.short === undefined && words.some(isShort) ? { ...flags, short: true } : flags;
  const { names, types } = divide(words.filter((word) => !isShort(word)));
  for (const word of types) validateType(word, parseType);
  return { names, types, flags: known };
}

/** Types in a list that contains at least one, such as `mx,txt`. */
const isMistyped = (word: string): boolean => word !== '' && !isType(word) && !looksLikeName(word) && !isShort(word);

/** Checked before anything is queried. */
function validateType(word: string, parseType: Context['parseType']): void {
  try {
    parseType(word);
  } catch (error) {
    throw new UsageError(`dns ${word}: ${(error as Error).message}`, { cause: error });
  }
}

const isShort = (word: string): boolean => word.toLowerCase() === '+short';

/** Without a word that can only be a name, the first word is one: there are top-level domains such as `mx`. */
function divide(words: readonly string[]): Pick<DnsArguments, 'names' | 'types'> {
  const others = words.filter((word) => !isType(word));
  const names = others.filter(looksLikeName);
  const [name = words[0]] = names.length > 0 ? names : others;
  const found = names.length > 0 ? names : name === undefined ? [] : [name];
  const left = [...found];
  const types = words.filter((word) => {
    const at = left.indexOf(word);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
  return { names: found, types };
}

/** The type of a name if none was given: an IP address has only a host name. */
export const defaultTypeOf = (name: string): string | undefined => (parseAddress(name) === null ? undefined : 'PTR');

/** Options of dig and doggo with a value that names or limits what is queried. */
const valueOptions = /^(?:-[xtqnbpc]|--(?:type|query|nameserver|class))$/;

/** The line that does what a command line of dig or doggo does. */
export function lineOf(args: readonly string[], program: string): string {
  const words: string[] = [];
  let isReverse = false;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    const [option = '', inline] = word.split('=');
    if (/^[@+]/.test(word)) {
      if (isShort(word)) words.push('--short');
    } else if (!word.startsWith('-') || word === '-' || word === '--short' || word === '--json') words.push(word);
    else if (valueOptions.test(option)) {
      if (option === '-x') isReverse = true;
      const value = inline ?? args[at + 1] ?? '';
      if (inline === undefined) at += 1;
      if (/^(?:-[xtq]|--(?:type|query))$/.test(option)) words.push(value);
    }
  }
  const flags = words.filter((word) => word.startsWith('--'));
  const { names, types } = divide(words.filter((word) => !word.startsWith('--')).flatMap((word) => word.split(',')));
  const typed = isReverse ? ['PTR'] : types.map((type) => type.toUpperCase());
  return [program, 'dns', ...(names.length === 0 ? ['example.com'] : names), ...typed, ...flags].join(' ');
}
