/** Command lines without a command, such as `seenby 8.8.8.8`: the command that fits the arguments. */
import { ServiceError } from '../../core/errors.ts';
import { adviseOnCommas, type CommandDescription, commands, UsageError } from '../commands.ts';

/** Whether a word can be a subject. A word without a dot (also those of UTS #46) or a colon may be a mistyped command. */
const isSubject = (word: string): boolean => !/\s/.test(word.trim()) && /[^.][.。．｡:]|^::|^asn?\d+$/i.test(word);

interface Found {
  readonly command: CommandDescription;
  readonly args: readonly string[];
}

/** Null if the first word is none of these. Throws a UsageError if the words are not all for one command. */
export async function commandFor(words: readonly string[]): Promise<Found | null> {
  const [first = '', ...others] = words;
  // dig's server and options: the command states what to type instead, or accepts them.
  if (words.some((word) => /^@|^\+./.test(word))) return { command: commandNamed('dns'), args: words };
  if (/^asn?$/i.test(first) && others.length > 0 && others.every((word) => /^\d+$/.test(word)))
    return { command: commandNamed('whois'), args: others.map((word) => `AS${word}`) };
  if (!isSubject(first)) return null;
  const { subjectOf } = await import('../../lookups/subject.ts');
  const { dnsTypes } = await import('../../lookups/dns/schema.ts');
  const isType = (word: string): boolean => dnsTypes.some((type) => type === word.toUpperCase());
  if (others.length > 0 && others.every(isType)) return { command: commandNamed('dns'), args: words };
  const found = words.map((word): Found => {
    const named = commands.find(({ name }) => name === word);
    if (named !== undefined) throw new UsageError(`${word}: the command comes first; type: ${word} ${first}`);
    const { lookup, value, type } = parse(word, subjectOf);
    const command = lookup === null ? commandNamed('domain') : commands.find((each) => each.lookup === lookup.name);
    if (command === undefined) throw new TypeError('each lookup has a command');
    return { command, args: type === undefined ? [value] : [value, type] };
  });
  const [one, other] = new Map(found.map(({ command, args }) => [command, args[0]]));
  if (one === undefined) return null;
  if (other !== undefined)
    throw new UsageError(
      `${one[1]} is for the command ${one[0].name}, ${other[1]} for ${other[0].name}; run one after the other`,
    );
  return { command: one[0], args: found.flatMap(({ args }) => args) };
}

const commandNamed = (name: string): CommandDescription =>
  commands.find((command) => command.name === name) as CommandDescription;

function parse<Subject>(word: string, subjectOf: (word: string) => Subject): Subject {
  try {
    return subjectOf(word);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const advice = adviseOnCommas(word, (member) => isSubject(member) && isValid(member, subjectOf));
    throw new UsageError(`${word}: ${error.message}${advice}`, { cause: error });
  }
}

function isValid(word: string, subjectOf: (word: string) => unknown): boolean {
  try {
    subjectOf(word);
    return true;
  } catch {
    return false;
  }
}
