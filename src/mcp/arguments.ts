/** Arguments of a tool call: validates the tool's own, ignores others, and names the argument that an ignored one probably means. */
import * as z from 'zod';
import { ServiceError } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { Deployment } from '../core/request-context.ts';
import { clip, editDistance } from '../core/text.ts';

/** What a tool does not do, although clients ask it to. */
export interface Elsewhere {
  /** Names of arguments with which they ask, in lower case, with underscores between words. */
  readonly names: readonly string[];
  /** What to use instead; null if a deployment has nothing for it. */
  readonly advise: (deployment: Deployment) => string | null;
}

interface Reader<Input extends z.ZodObject> {
  readonly inputSchema: Input;
  /** Other names by which models call an argument, in the same form. */
  readonly synonyms?: Readonly<Record<string, readonly string[]>>;
  readonly elsewhere?: readonly Elsewhere[];
}

/** Names that are compared with those of a tool: some clients add about five of their own to every call. */
const maxIgnoredNames = 16;
const maxRemarks = 3;

/** Returns the valid arguments, with remarks for the model on those that were ignored; throws a ServiceError if one is not valid. */
export function readArguments<Input extends z.ZodObject>(
  sent: unknown,
  { inputSchema, synonyms = {}, elsewhere = [] }: Reader<Input>,
  deployment: Deployment,
): { readonly input: z.infer<Input>; readonly remarks: readonly string[] } {
  const names = Object.keys(inputSchema.shape);
  const known = isObject(sent) ? pick(sent, inputSchema) : sent;
  const ignored = isObject(sent) ? namesBesides(sent, names) : [];
  const missing = names.filter((name) => !isObject(known) || known[name] === undefined);
  const remarks = ignored.flatMap((name) => describeIgnored(name, missing, { synonyms, elsewhere, deployment }));
  const parsed = inputSchema.safeParse(known, { reportInput: true });
  if (parsed.success) return { input: parsed.data, remarks: remarks.slice(0, maxRemarks) };
  const others = ignored.length > 0 && remarks.length === 0 ? [`Unknown and ignored: ${quoteAll(ignored)}.`] : remarks;
  const problems = parsed.error.issues.map((issue) => describeArgument(issue, inputSchema));
  throw new ServiceError('invalid_query', [...problems, ...others.slice(0, maxRemarks)].join(' '));
}

/**
 * The arguments that the tool has: a schema copies all members that it gets. Without those that are null, which some clients send for
 * what they omit.
 */
function pick(sent: Readonly<Record<string, unknown>>, { shape }: z.ZodObject): Record<string, unknown> {
  const present = Object.keys(shape).filter((name) => Object.hasOwn(sent, name) && sent[name] !== null);
  return Object.fromEntries(present.map((name) => [name, convertScalar(sent[name], shape[name])]));
}

/** Models write numbers without quotes, and truth values with them; only one value can be meant. */
function convertScalar(value: unknown, schema: z.core.$ZodType | undefined): unknown {
  const expected = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (expected instanceof z.ZodString && Number.isSafeInteger(value)) return String(value);
  if (expected instanceof z.ZodBoolean && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

/** The first names of members that are neither known nor null. */
function namesBesides(sent: Readonly<Record<string, unknown>>, known: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const name in sent) {
    if (known.includes(name) || sent[name] === null) continue;
    found.push(name);
    if (found.length === maxIgnoredNames) break;
  }
  return found;
}

/** One sentence, or none for what a client adds to every call. */
function describeIgnored(
  name: string,
  missing: readonly string[],
  { synonyms, elsewhere, deployment }: Required<Omit<Reader<z.ZodObject>, 'inputSchema'>> & { deployment: Deployment },
): readonly string[] {
  const start = `The argument ${quote(name)} is unknown and was ignored`;
  const words = wordsOf(name).slice(1);
  const isAmong = (names: readonly string[] = []) => names.includes(words);
  const asked = elsewhere.find(({ names }) => isAmong(names));
  const meant = missing.find((each) => isClose(name, each) || isAmong(synonyms[each]));
  if (asked === undefined) return meant === undefined ? [] : [`${start}; use ${meant}.`];
  const advice = asked.advise(deployment);
  return [advice === null ? `${start}.` : `${start}; ${advice}.`];
}

/** `_user_agent` for `userAgent`, `User-Agent` and the like. */
const wordsOf = (name: string): string => {
  const separated = clip(name).replaceAll(/([a-z\d])([A-Z])/g, '$1_$2');
  return `_${separated
    .toLowerCase()
    .match(/[a-z\d]+/g)
    ?.join('_')}`;
};

const sorted = (letters: string): string => [...letters].sort().join('');

/**
 * Whether a name is misspelled, has more or fewer words at its start (`recordType`, `raw`) or more at its end (`user_agent_string`), or
 * consists of initials (`ua`).
 */
function isClose(unknown: string, known: string): boolean {
  const one = wordsOf(unknown);
  const other = wordsOf(known);
  const letters = one.replaceAll('_', '');
  const wanted = other.replaceAll('_', '');
  return (
    one.endsWith(other) ||
    one.startsWith(`${other}_`) ||
    other.endsWith(one) ||
    (other.includes('_', 1) && letters === other.replaceAll(/_(.)[^_]*/g, '$1')) ||
    editDistance(letters, wanted) <= Math.max(1, Math.round(letters.length / 3)) ||
    sorted(letters) === sorted(wanted)
  );
}

const quote = (name: string): string => JSON.stringify(clip(name));
const maxQuoted = 8;
const quoteAll = (names: readonly string[]): string => names.slice(0, maxQuoted).map(quote).join(', ');

function describeArgument(issue: z.core.$ZodIssue, { shape }: z.ZodObject): string {
  const [name] = issue.path;
  if (typeof name !== 'string')
    return `The arguments must be an object that may have ${Object.keys(shape).join(', ')}.`;
  const expected = shape[name]?.meta()?.description ?? '';
  if (issue.code === 'invalid_type') {
    const noun = issue.expected === 'boolean' ? 'true or false' : `a ${issue.expected}`;
    return `${name} ${issue.input === undefined ? 'is required' : `must be ${noun}`}: ${expected}`;
  }
  if (issue.code === 'too_big') return `${name} has more than ${issue.maximum} characters; shorten it.`;
  return `${name}: ${issue.message}.`;
}
