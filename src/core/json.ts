/** Parses untrusted JSON of limited nesting and number of values, and recognizes its objects. */

/** RDAP objects have about 12 levels, MCP messages fewer. */
export const maxDepth = 32;

/**
 * Parses a JSON text; its limited depth makes recursion over the value safe. More than `maxValues` are `too_many`, before any of them is
 * created: that takes 20 times as long as to count them.
 */
export function parseJson(
  text: string,
  maxValues = Number.POSITIVE_INFINITY,
): { value: unknown } | { failure: 'malformed' | 'too_deep' | 'too_many' } {
  const { depth, values } = measure(text);
  if (depth > maxDepth) return { failure: 'too_deep' };
  if (values > maxValues) return { failure: 'too_many' };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { failure: 'malformed' };
  }
}

/**
 * Counts brackets and commas outside strings: an object or a list has a bracket, and all values of one but the first follow a comma. For
 * text that is not JSON the numbers have no meaning.
 */
function measure(text: string): { readonly depth: number; readonly values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x2c) values++;
    else if (code === 0x5b || code === 0x7b) {
      deepest = Math.max(deepest, ++depth);
      values++;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return { depth: deepest, values };
}

const primitive = /\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?=\s*[,}]))/y;

/**
 * The string or the integer that a member of the outermost object has; null if there is none. Reads only names and brackets, so that it
 * also serves a text that is nested too deeply, or too large, to be parsed.
 */
export function readMember(text: string, name: string): string | number | null {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5b && depth === 0) return null;
    if (code === 0x5b || code === 0x7b) depth++;
    else if (code === 0x5d || code === 0x7d) depth--;
    else if (code === 0x22) {
      const start = at;
      at = endOfString(text, at);
      if (depth !== 1 || text.slice(start + 1, at) !== name) continue;
      primitive.lastIndex = at + 1;
      const [, value] = primitive.exec(text) ?? [];
      if (value !== undefined) return parsePrimitive(value);
    }
  }
  return null;
}

function parsePrimitive(text: string): string | number | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x22) return at;
  }
  return text.length;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
