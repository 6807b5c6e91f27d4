/** Arguments of the light library, whose callers may not use TypeScript: what is accepted, and what a TypeError says about the rest. */

/** Headers by name, with one value or several; an absent one may be undefined, as in Node's `request.headers`. */
type HeaderObject = Readonly<Record<string, string | readonly string[] | undefined>>;
/** Headers as an object, or as pairs, such as a `Headers` of the Fetch API. */
export type HeadersArgument = HeaderObject | Iterable<readonly [name: string, value: string]>;

/** Names in lower case, repeats joined (RFC 9110 §5.3). Throws a TypeError that names the argument and what to pass. */
export function headersArgument(given: HeadersArgument, argument: string): Record<string, string> {
  if (typeof given !== 'object' || given === null) throw createError(argument, headersNoun, given);
  const pairs = Symbol.iterator in given ? [...given] : Object.entries(given);
  const headers: Record<string, string> = Object.create(null);
  for (const pair of pairs) {
    const [name, value] = Array.isArray(pair) ? (pair as [unknown, unknown]) : [undefined, undefined];
    if (typeof name !== 'string') throw createError(argument, headersNoun, given);
    if (value === undefined) continue;
    const ofHeader = `${argument}[${JSON.stringify(name)}]`;
    const text = Array.isArray(value) ? textsArgument(value, ofHeader).join(', ') : value;
    if (typeof text !== 'string') throw createError(ofHeader, 'a string or an array of strings', value);
    const key = name.toLowerCase();
    headers[key] = key in headers ? `${headers[key]}, ${text}` : text;
  }
  return headers;
}

const headersNoun = 'an object of header names and values, or a Headers';

/** Throws a TypeError unless the argument is a string. */
export function textArgument(given: string, argument: string): string {
  if (typeof given !== 'string') throw createError(argument, 'a string', given);
  return given;
}

/** An absent argument is null. Throws a TypeError for anything else but a string. */
export function optionalTextArgument(given: string | null | undefined, argument: string): string | null {
  if (typeof given !== 'string' && (given ?? null) !== null) throw createError(argument, 'a string or null', given);
  return given ?? null;
}

/** Throws a TypeError unless the argument is a number. */
export function numberArgument(given: number, argument: string): number {
  if (typeof given !== 'number') throw createError(argument, 'a number', given);
  return given;
}

/** Throws a TypeError unless the argument is an array of strings. */
export const textsArgument = (given: readonly string[], argument: string): readonly string[] =>
  arrayArgument(given, argument).map((item, at) => textArgument(item, `${argument}[${at}]`));

/** Throws a TypeError unless the argument is one of these texts. */
export function choiceArgument<Choice extends string>(
  given: Choice,
  argument: string,
  choices: readonly Choice[],
): Choice {
  if (!choices.includes(given)) throw new TypeError(`${argument} must be one of ${choices.join(', ')}`);
  return given;
}

/** Throws a TypeError unless the argument is an object. */
export function objectArgument<Value extends object>(given: Value, argument: string): Value {
  if (typeof given !== 'object' || given === null) throw createError(argument, 'an object', given);
  return given;
}

/** Throws a TypeError unless the argument is an array. */
export function arrayArgument<Item>(given: readonly Item[], argument: string): readonly Item[] {
  if (!Array.isArray(given)) throw createError(argument, 'an array', given);
  return given;
}

/** Throws a TypeError unless the argument is bytes. */
export function bytesArgument(given: Uint8Array, argument: string): Uint8Array {
  if (!(given instanceof Uint8Array)) throw createError(argument, 'a Uint8Array', given);
  return given;
}

/** The value itself is left out, because it may be request data. */
function createError(argument: string, noun: string, given: unknown): TypeError {
  const type = given === null ? 'null' : Array.isArray(given) ? 'an array' : typeof given;
  return new TypeError(`${argument} must be ${noun}, not ${type}`);
}
