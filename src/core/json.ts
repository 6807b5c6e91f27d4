/** Parses untrusted JSON of limited nesting, and recognizes its objects. */

/** RDAP objects have about 12 levels, MCP messages fewer. */
export const maxDepth = 32;

/** Parses a JSON text; its limited depth makes recursion over the value safe. */
export function parseJson(text: string): { value: unknown } | { failure: 'malformed' | 'too_deep' } {
  if (depthOf(text) > maxDepth) return { failure: 'too_deep' };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { failure: 'malformed' };
  }
}

/** Counts brackets outside strings; for text that is not JSON the number has no meaning. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x5d || code === 0x7d) depth--;
  }
  return deepest;
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
