/** The texts of `--help` and `help <command>`. */
import { product } from '../core/product.ts';
import { flagOf, settingNames, settings, variableOf } from '../core/settings.ts';
import { type CommandDescription, commandFlags, commands, commandsWith, flagNames } from './commands.ts';

const exitCodes = 'Exit codes: 0 success, 1 failure, 2 usage error (unknown command, flag or value).';

export function help(): string {
  const flagRows = flagNames.map((name) => {
    const { value, description } = commandFlags[name];
    return `  ${`--${name} ${value}`.padEnd(26)}${description} (${commandsWith(name)})\n`;
  });
  const rows = settingNames.map((name) => {
    const { value, description, default: fallback } = settings[name];
    const flag = `--${flagOf(name)} <${value}>`;
    return `  ${flag.padEnd(38)}${variableOf(name)}\n      ${description}${fallback === '' ? '' : ` Default: ${fallback}`}\n`;
  });
  return `${product.name} shows what the internet sees about your request.

Usage: seenby [command] [flags], in the source tree: npm start -- [command] [flags]

${commands.map((command) => `  ${usageOf(command).padEnd(26)}${command.summary}\n`).join('')}
${flagRows.join('')}  --version                 Print the version
  -h, --help                Print this help

${exitCodes}
Text is colored on a terminal, unless NO_COLOR is set.

Settings; each is an environment variable, and a flag of the commands that it affects:

${rows.join('')}`;
}

export function helpFor(command: CommandDescription): string {
  const note = command.exitCodes === undefined ? '' : `${command.exitCodes}\n`;
  return `Usage: seenby ${usageOf(command)}\n\n${command.summary}.\n${note}${exitCodes}\n`;
}

const usageOf = ({ name, args }: CommandDescription): string => `${name} ${args}`.trimEnd();
