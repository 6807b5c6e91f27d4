/** The texts of `--help`, `help settings` and `help <command>`, from the lists of commands, flags and settings. */
import { product } from '../core/product.ts';
import { flagOf, settingNames, settings, variableOf } from '../core/settings.ts';
import { type CommandDescription, commands, commandsAt, commandsWith, flagNames, usageOf } from './commands.ts';
import { commandFlags } from './data/commands.ts';
import { wrap } from './layouts/terminal.ts';

/** Columns of the help, at most. */
const maxWidth = 80;
const exitCodes = 'Exit codes: 0 success, 1 failure, 2 unknown command, flag or value.';
const columnWidth = 28;
/** Below this width, a text stands under what it explains. */
const minSideBySide = 60;

/** `program`: the command as the user types it; `width`: columns of the terminal. */
interface HelpContext {
  readonly program: string;
  readonly width: number;
}

/** The help for words after `help`: all of it, that of a command, or of the settings; throws a UsageError for unknown words. */
export function helpOf(words: readonly string[], { program, width }: HelpContext): string {
  const context = { program, width: Math.min(width, maxWidth) };
  if (words.length === 0) return help(context);
  if (words.length === 1 && words[0] === 'settings') return settingsHelp(context);
  return commandsAt(words)
    .map((command) => helpFor(command, context))
    .join('\n');
}

/** At most 40 lines of 80 columns. */
function help({ program, width }: HelpContext): string {
  const paragraph = (text: string): string => `${wrap(text, width).join('\n')}\n`;
  const row = (term: string, text: string): string => rowOf(term, text, width);
  return `${paragraph(`${product.name} shows what the internet sees about your request.`)}
Usage: ${program} [command] [flags]
       ${program} <address|domain|AS|url>

${commands.map((command) => row(usageOf(command), command.summary)).join('')}
${paragraph('Flags, and the commands that have them:')}${flagNames.map((name) => row(flagText(name), commandsWith(name))).join('')}${row('--version', 'Print the version')}${row('-h, --help', 'Print this help')}
${paragraph('Settings are environment variables and flags; help settings prints them.')}${paragraph('The argument - reads arguments from the standard input, one per line.')}${paragraph(exitCodes)}`;
}

function settingsHelp({ width }: HelpContext): string {
  const rows = settingNames.map((name) => {
    const { value, description, default: fallback } = settings[name];
    const text = `${description}${fallback === '' ? '' : ` Default: ${fallback}`}`;
    return `  --${flagOf(name)} <${value}>\n  ${variableOf(name)}\n${indent(text, width)}`;
  });
  const heading = 'Settings; each is an environment variable, and a flag of the commands that it affects:';
  return `${wrap(heading, width).join('\n')}\n\n${rows.join('')}`;
}

function helpFor(command: CommandDescription, { program, width }: HelpContext): string {
  const { summary, flags = [], settings: affecting = settingNames, examples } = command;
  const rows = flags.map((name) => rowOf(flagText(name), commandFlags[name].description, width));
  const settingFlags = affecting === settingNames ? 'all' : affecting.map((name) => `--${flagOf(name)}`).join(' ');
  const settingRow = affecting.length === 0 ? '' : `\n${wrap(`Settings: ${settingFlags}`, width, '  ').join('\n')}\n`;
  const flagRows = rows.length === 0 ? '' : `\n${rows.join('')}`;
  const lines = examples.map((example) => `  ${program} ${example}\n`).join('');
  const usage = `Usage: ${program} ${usageOf(command)}`;
  return `${usage}\n\n${summary}.\n${flagRows}${settingRow}\nExamples:\n${lines}\n${wrap(exitCodes, width).join('\n')}\n`;
}

/** A term and its explanation beside it, or below it if the terminal is narrow. */
function rowOf(term: string, text: string, width: number): string {
  if (width < minSideBySide) return `  ${term}\n${indent(text, width)}`;
  const lines = wrap(text, width - columnWidth - 2).join(`\n${' '.repeat(columnWidth + 2)}`);
  return `  ${term.padEnd(columnWidth)}${lines}\n`;
}

const flagText = (name: (typeof flagNames)[number]): string => {
  const { value, short } = { short: undefined, ...commandFlags[name] };
  return `${short === undefined ? '' : `-${short}, `}--${name} ${value}`.trimEnd();
};

const indent = (text: string, width: number): string =>
  wrap(text, width - 6)
    .map((line) => `      ${line}\n`)
    .join('');
