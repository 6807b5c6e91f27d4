/** Prints the results of a lookup command: as text while they arrive, as JSON or JUnit XML at the end. */
import { ServiceError } from '../core/errors.ts';
import { escapeControls, replaceControls, replaceControlsOfLines, toJson } from '../core/text.ts';
import { type CommandFlags, type LookupCommand, UsageError } from './commands.ts';
import type { JunitSuite } from './layouts/junit.ts';
import { dns, ip, port, ua, whois } from './layouts/lookups.ts';
import { colorLines, isColored, joinKnown, type Terminal, widthOf } from './layouts/terminal.ts';
import type { CliIo } from './start.ts';

/** One lookup of a command line; `label` names it in output. */
export interface Item {
  readonly name: string;
  /** The value of the lookup's option. */
  readonly choice: string | undefined;
  readonly label: string;
}

export interface Output {
  /** `reason`: why the result makes the command fail; null if it does not. */
  addResult(item: Item, value: object, reason: string | null): void;
  addFailure(item: Item, error: Error): void;
  /** Prints a line on standard error. */
  printError(line: string): void;
  /** Prints what waited for the last item. */
  end(): void;
}

interface Layout {
  readonly layOut: (value: never, terminal: Terminal) => string;
  /** One text for the results of one name, if the command looks up several for a name. */
  readonly layOutAll?: (values: readonly never[], terminal: Terminal) => string;
  /** What the short line begins with, unless its label has named it already. */
  readonly subjectOf?: (value: never) => string;
  /** One line, or several. */
  readonly shorten: (value: never, terminal: Terminal) => string | readonly string[];
  /** Whether a result is one line, and needs no empty line before it. */
  readonly isLine?: boolean;
}

/** A layout that has a form for continuous integration. */
interface JunitLayout {
  /** The test case that fails if the command does. */
  readonly junitCase: (flags: CommandFlags) => Pick<JunitSuite['cases'][number], 'id' | 'name'>;
  readonly junitSuite: (value: never, reason: string | null, flags: CommandFlags) => JunitSuite;
}

/** Layouts by command, except the commands whose layouts need all resources, all checks or all verdicts. */
const layouts: Readonly<Record<string, Layout>> = { ip, port, whois, dns, ua };

/** The layout of a command. */
async function loadLayout({ name, flags = [] }: LookupCommand['command']): Promise<Layout> {
  const layout = layouts[name];
  if (layout !== undefined) return layout;
  if (name === 'domain') return import('./layouts/domain.ts');
  return flags.includes('format') ? loadWithJunit(name) : import('./layouts/caller.ts');
}

/** Loads the layout of a command with `--format`. */
const loadWithJunit = (name: string): Promise<Layout & JunitLayout> =>
  name === 'cert' ? import('./layouts/certificate.ts') : import('./layouts/grade.ts');

interface OutputContext {
  readonly request: LookupCommand;
  readonly io: CliIo;
  /** Whether the command has several items, whose results need their names. */
  readonly isSeveral: boolean;
  readonly terminal: Terminal;
  /** Prints the errors of several items; that of a single one ends the command. */
  readonly printFailure: Output['addFailure'];
}

export async function openOutput(request: LookupCommand, io: CliIo, isSeveral: boolean): Promise<Output> {
  const { flags, command } = request;
  // Programs such as grep read lines, and a file has no width.
  const terminal = { width: io.out.isTTY ? widthOf(io.out) : Number.POSITIVE_INFINITY, nowMs: Date.now() };
  const printError = (line: string): void => void io.err.write(`seenby: ${replaceControls(line)}\n`);
  const printFailure: Output['addFailure'] = ({ label }, error) => {
    if (isSeveral) printError(error instanceof UsageError ? error.message : `${label}: ${error.message}`);
  };
  const context = { request, io, isSeveral, terminal, printFailure };
  if (flags.format !== undefined) return { printError, ...(await junitOutput(context)) };
  if (flags.json) return { printError, ...jsonOutput(context) };
  return { printError, ...(flags.short ? shortOutput : textOutput)(context, await loadLayout(command)) };
}

type Form = Omit<Output, 'printError'>;

async function junitOutput({ request: { command, flags }, io, printFailure }: OutputContext): Promise<Form> {
  const { junitOf } = await import('./layouts/junit.ts');
  const { junitCase, junitSuite } = await loadWithJunit(command.name);
  const suites: JunitSuite[] = [];
  return {
    addResult: (_, value, reason) => void suites.push(junitSuite(value as never, reason, flags)),
    addFailure(item, error) {
      suites.push({ name: item.label, cases: [{ ...junitCase(flags), error: error.message }] });
      printFailure(item, error);
    },
    end: () => void io.out.write(junitOf(suites)),
  };
}

function jsonOutput({ io: { out }, isSeveral, printFailure }: OutputContext): Form {
  const values: object[] = [];
  return {
    addResult: (_, value) => void values.push(value),
    addFailure(item, error) {
      // The error of a single item goes to standard error only.
      if (isSeveral) values.push(describeFailure(item, error));
      printFailure(item, error);
    },
    end() {
      const [value] = values;
      if (isSeveral) out.write(escapeControls(toJson(values)));
      else if (value !== undefined) out.write(escapeControls(toJson(value)));
    },
  };
}

/** An element of a JSON array for an item without a result. */
const describeFailure = ({ label }: Item, error: Error): object => ({ query: label, ...describeError(error) });

/** Members of JSON in place of a result. */
export function describeError(error: Error) {
  const known = error.cause instanceof ServiceError ? error.cause : error;
  return { error: known instanceof ServiceError ? known.code : 'failed', message: known.message };
}

/** One line for each of several items, in order: the name, a tab, and the value, empty for none; of one item only the value. */
function shortOutput({ io: { out }, isSeveral, terminal, printFailure }: OutputContext, layout: Layout): Form {
  const printLine = (label: string, value: string | readonly string[]): void => {
    const lines = [value].flat().map(replaceControls);
    // Several records of a name are separated by tabs too.
    if (isSeveral) out.write(`${replaceControls(label)}\t${lines.join('\t')}\n`);
    else if (lines.join('') !== '') out.write(`${lines.join('\n')}\n`);
  };
  const shorten = (value: never, label: string): string | readonly string[] => {
    const short = layout.shorten(value, terminal);
    const subject = layout.subjectOf?.(value);
    const isNamed = subject === undefined || (isSeveral && subject === label);
    return isNamed ? short : joinKnown([subject, ...[short].flat()], ' · ');
  };
  return {
    addResult: ({ label }, value) => printLine(label, shorten(value as never, label)),
    addFailure(item, error) {
      printLine(item.label, '');
      printFailure(item, error);
    },
    end() {},
  };
}

function textOutput({ io: { out, environment }, terminal, printFailure }: OutputContext, layout: Layout): Form {
  const isColorful = isColored(out.isTTY === true, environment);
  let hasPrinted = false;
  const print = (text: string): void => {
    const plain = replaceControlsOfLines(text);
    out.write(`${hasPrinted && !layout.isLine ? '\n' : ''}${isColorful ? colorLines(plain) : plain}`);
    hasPrinted = true;
  };
  const { layOutAll } = layout;
  if (layOutAll === undefined)
    return {
      addResult: (_, value) => print(layout.layOut(value as never, terminal)),
      addFailure: printFailure,
      end() {},
    };
  const group: { name: string; values: object[] } = { name: '', values: [] };
  const printGroup = (): void => {
    if (group.values.length > 0) print(layOutAll(group.values as never[], terminal));
    group.values = [];
  };
  return {
    addResult({ name }, value) {
      if (name !== group.name) printGroup();
      group.name = name;
      group.values.push(value);
    },
    addFailure: printFailure,
    end: printGroup,
  };
}
