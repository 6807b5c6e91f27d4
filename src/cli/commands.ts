/** The lists of commands and their flags: `--help`, usage errors and the dispatch follow from their rows. */
import { flagOf, type SettingName } from '../core/settings.ts';
import type { LookupName } from '../lookups/list.ts';

/** Flags that are no settings. */
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
  /** Settings that have an effect, and so are flags of the command; if absent: all. As variables, all others are permitted. */
  readonly settings?: readonly SettingName[];
  /** The lookup that it runs; its arguments are the value to look up and the values of the lookup's option. */
  readonly lookup?: LookupName;
}

export const commands: readonly CommandDescription[] = [
  { name: 'serve', args: '', summary: 'Start the service (default)' },
  { name: 'dev', args: '', summary: 'Start the service with simulated location and network values' },
  {
    name: 'geo update',
    settings: ['dataDir', 'geoipUrl'],
    args: '',
    summary: 'Download the current city and ASN databases',
  },
  {
    name: 'geo build',
    settings: ['dataDir'],
    args: '',
    summary: 'Convert the embedded ASN database now, not at the first start',
  },
  {
    name: 'me',
    settings: ['publicUrl', 'port', 'tlsPort'],
    flags: ['json'],
    args: '[url]',
    summary: 'Show what a running service observes: at url, else PUBLIC_URL, else localhost',
  },
  {
    name: 'ip',
    settings: ['publicUrl', 'dohUrl', 'dataDir', 'geoipCity', 'geoipAsn'],
    lookup: 'ip',
    flags: ['json'],
    args: '<address>',
    summary: 'Show location, ISP, ASN and host name of an IP address',
  },
  {
    name: 'whois',
    settings: ['publicUrl', 'rdapBootstrapUrl'],
    lookup: 'rdap',
    flags: ['json'],
    args: '<domain|ip|AS>',
    summary: 'Look up registration data (RDAP)',
  },
  {
    name: 'dns',
    settings: ['publicUrl', 'dohUrl'],
    lookup: 'dns',
    flags: ['json'],
    args: '<name> [type...]',
    summary: 'Look up DNS records; default type A',
  },
  {
    name: 'grade',
    settings: ['publicUrl'],
    lookup: 'headers-check',
    flags: ['json', 'fail-below'],
    args: '<url>',
    summary: "Grade a site's response headers",
    exitCodes: '--fail-below <grade>: exit code 1 if the grade is lower, such as B or A+',
  },
  { name: 'ua', settings: [], flags: ['json'], args: '<string>', summary: 'Parse a User-Agent' },
  { name: 'help', settings: [], args: '[command]', summary: 'Print this help, or that of one command' },
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

/** Whether the command has a flag, given without its dashes. */
const hasFlag = ({ flags = [], settings }: CommandDescription, flag: string): boolean =>
  Object.hasOwn(commandFlags, flag)
    ? flags.some((name) => name === flag)
    : settings === undefined || settings.some((name) => flagOf(name) === flag);

export const commandsWith = (flag: string): string =>
  commands
    .filter((command) => hasFlag(command, flag))
    .map(({ name }) => name)
    .join(', ');

/** A flag among those given that the command does not have; undefined if there is none. */
export const foreignFlag = (command: CommandDescription, given: object): string | undefined =>
  Object.keys(given).find((flag) => !hasFlag(command, flag));

/** Whether the number of arguments is right. */
export function acceptsArguments({ args: usage }: CommandDescription, args: readonly string[]): boolean {
  const required = usage.match(/</g)?.length ?? 0;
  const most = usage.includes('...') ? Number.POSITIVE_INFINITY : (usage.match(/[<[]/g)?.length ?? 0);
  return args.length >= required && args.length <= most;
}
