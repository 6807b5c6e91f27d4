/** The lists of commands and their flags: `--help`, usage errors and the dispatch follow from their rows. */
import type { LookupName } from '../lookups/list.ts';

/** Flags that only some commands have; the settings are flags of all. */
export const commandFlags = {
  json: { type: 'boolean', value: '', description: 'JSON instead of text' },
  'fail-below': { type: 'string', value: '<grade>', description: 'Exit code 1 if the grade is lower' },
} as const;
type FlagName = keyof typeof commandFlags;
export const flagNames = Object.keys(commandFlags) as FlagName[];

export interface CommandDescription {
  /** Words that select the command. */
  readonly name: string;
  /** Arguments as written in the usage line; required ones in <>, optional ones in []. */
  readonly args: string;
  readonly summary: string;
  readonly exitCodes?: string;
  readonly flags?: readonly FlagName[];
  /** The lookup that it runs; its arguments are the value to look up and the values of the lookup's option. */
  readonly lookup?: LookupName;
}

export const commands: readonly CommandDescription[] = [
  { name: 'serve', args: '', summary: 'Start the service (default)' },
  { name: 'dev', args: '', summary: 'Start the service with simulated location and network values' },
  { name: 'geo update', args: '', summary: 'Download the current city and ASN databases' },
  { name: 'geo build', args: '', summary: 'Convert the embedded ASN database now, not at the first start' },
  {
    name: 'me',
    flags: ['json'],
    args: '[url]',
    summary: 'Show what a running service observes: at url, else PUBLIC_URL, else localhost',
  },
  {
    name: 'ip',
    lookup: 'ip',
    flags: ['json'],
    args: '<address>',
    summary: 'Show location, ISP, ASN and host name of an IP address',
  },
  {
    name: 'whois',
    lookup: 'rdap',
    flags: ['json'],
    args: '<domain|ip|AS>',
    summary: 'Look up registration data (RDAP)',
  },
  {
    name: 'dns',
    lookup: 'dns',
    flags: ['json'],
    args: '<name> [type...]',
    summary: 'Look up DNS records; default type A',
  },
  {
    name: 'grade',
    lookup: 'headers-check',
    flags: ['json', 'fail-below'],
    args: '<url>',
    summary: "Grade a site's response headers",
    exitCodes: '--fail-below <grade>: exit code 1 if the grade is lower, such as B or A+',
  },
  { name: 'ua', flags: ['json'], args: '<string>', summary: 'Parse a User-Agent' },
  { name: 'help', args: '[command]', summary: 'Print this help, or that of one command' },
];

/** The command at the start of the words, `serve` without any, and the words after it; null if there is none. */
export function findCommand(
  words: readonly string[],
): { readonly command: CommandDescription; readonly args: readonly string[] } | null {
  const typed = words.length === 0 ? ['serve'] : words;
  for (const command of commands) {
    const name = command.name.split(' ');
    if (name.every((word, at) => word === typed[at])) return { command, args: typed.slice(name.length) };
  }
  return null;
}

export const commandsWith = (flag: FlagName): string =>
  commands.flatMap(({ name, flags = [] }) => (flags.includes(flag) ? [name] : [])).join(', ');

/** A flag among those given that the command does not have; undefined if there is none. */
export const foreignFlag = ({ flags = [] }: CommandDescription, given: object): FlagName | undefined =>
  flagNames.find((name) => name in given && !flags.includes(name));

/** Whether the number of arguments is right. */
export function acceptsArguments({ args: usage }: CommandDescription, args: readonly string[]): boolean {
  const required = usage.match(/</g)?.length ?? 0;
  const most = usage.includes('...') ? Number.POSITIVE_INFINITY : (usage.match(/[<[]/g)?.length ?? 0);
  return args.length >= required && args.length <= most;
}
