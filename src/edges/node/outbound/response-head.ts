/**
 * Reads the head of a response that breaks the rules of HTTP/1.1 (RFC 9112) as browsers read it, and names each line that does. Where
 * browsers differ, a line is left out. Compared with Chromium and Firefox in test/browser/malformed-response.test.ts.
 */
import type { MalformedLine } from '../../../core/platform.ts';

interface Head {
  readonly status: number;
  /** By lower-case name, with the values in the order of the response, as Latin-1. */
  readonly fields: Readonly<Record<string, string[]>>;
  readonly malformed: readonly MalformedLine[];
}

/** Index behind the empty line that ends a head; -1 if it is not complete. `from` is the index of its first octet. */
export function endOfHead(text: string, from: number): number {
  const start = from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0);
  const end = /\n\r?\n/g;
  end.lastIndex = start;
  return end.test(text) ? end.lastIndex : -1;
}

const token = /^[!#$%&'*+\-.^_`|~\w]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched for
const control = /[\u0001-\u0008\u000b-\u001f\u007f]/;

/** Lines that are named. */
const maxMalformed = 20;
const maxNameLength = 100;

/** `text` has the octets of a complete head as Latin-1. Null if it does not begin with a status line that browsers accept. */
export function parseHead(text: string): Head | null {
  const malformed: MalformedLine[] = [];
  const report = (kind: MalformedLine['kind'], name: string): void => {
    if (malformed.length < maxMalformed) malformed.push({ kind, name: name.slice(0, maxNameLength) });
  };
  const [statusLine = '', ...lines] = text.trim().split('\n');
  const [, status] = /^HTTP\/\d+(?:\.\d+)?[ \t]+([1-9]\d\d)(?!\d)/i.exec(statusLine) ?? [];
  if (status === undefined) return null;
  if (/^[ \t]/.test(text) || !/^HTTP\/1\.[01] \d{3}(?: [^\r]*)?\r?$/.test(statusLine))
    report('status_line', statusLine.trim());
  const fields: Field[] = [];
  // The field that a folded line continues; null behind a line that is left out.
  let open: Field | null = null;
  for (const [at, line] of lines.entries()) {
    const content = line.replace(/\r$/, '');
    // The end of the last line was trimmed.
    const isFolded = /^[ \t]/.test(content);
    if (content === line && at < lines.length - 1)
      report('line_feed', (isFolded && open?.name) || nameIn(content) || content);
    if (isFolded) {
      report('folded', open?.name ?? content.trim());
      open?.parts.push(content.trim());
      continue;
    }
    open = readField(content, report);
    if (open !== null) fields.push(open);
  }
  const values = groupFields(fields);
  reportLengths(values, report);
  return { status: Number(status), fields: values, malformed };
}

interface Field {
  readonly name: string;
  /** The value in one piece for each line. */
  readonly parts: string[];
}

type Report = (kind: MalformedLine['kind'], name: string) => void;

/** Empty if the line has no colon. */
const nameIn = (line: string): string => line.slice(0, Math.max(line.indexOf(':'), 0));

/** Null if browsers ignore the line, or differ. */
function readField(line: string, report: Report): Field | null {
  const name = nameIn(line);
  const value = line.slice(line.indexOf(':') + 1).trim();
  if (line.includes('\r')) report('carriage_return', name || line);
  else if (!line.includes(':')) report('no_colon', line);
  else if (name !== name.trimEnd() && token.test(name.trimEnd())) report('space_before_colon', name.trimEnd());
  else if (!token.test(name)) report('name', name || line);
  else {
    if (value.includes('\0')) report('null_character', name);
    else if (control.test(value)) report('control_character', name);
    return { name, parts: [value] };
  }
  return null;
}

function groupFields(fields: readonly Field[]): Record<string, string[]> {
  const grouped: Record<string, string[]> = Object.create(null);
  for (const { name, parts } of fields) {
    const key = name.toLowerCase();
    const value = parts.filter((part) => part !== '').join(' ');
    const values = grouped[key];
    if (values === undefined) grouped[key] = [value];
    else values.push(value);
  }
  return grouped;
}

/** What browsers do with lengths that contradict each other. */
function reportLengths(fields: Readonly<Record<string, readonly string[]>>, report: Report): void {
  const lengths = (fields['content-length'] ?? []).flatMap((value) => value.split(',')).map((value) => value.trim());
  if (lengths.length === 0) return;
  const kind = fields['transfer-encoding'] === undefined ? problemOf(lengths) : 'length_and_encoding';
  if (kind !== null) report(kind, 'Content-Length');
}

function problemOf(lengths: readonly string[]): MalformedLine['kind'] | null {
  if (new Set(lengths).size > 1) return 'lengths';
  if (lengths.length > 1) return 'length_repeated';
  return /^\d{1,15}$/.test(lengths[0] ?? '') ? null : 'length_invalid';
}
