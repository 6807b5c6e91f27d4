/** Printed forms of a resource: indented JSON, and flat text with one `key: value` line for each leaf. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: a control character in a value could forge a line
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

export function toJson(resource: object): string {
  return `${JSON.stringify(resource, null, 2)}\n`;
}

/** Prints dotted paths in the order of the JSON; null as `key:`, an empty object as nothing, control characters as spaces. */
export function flatten(resource: object): string {
  let lines = '';
  for (const [key, value] of leaves(resource, '')) {
    lines += value === null ? `${key}:\n` : `${key}: ${String(value).replace(controls, ' ')}\n`;
  }
  return lines;
}

function* leaves(node: object, prefix: string): Generator<[key: string, value: unknown]> {
  for (const [key, value] of Object.entries(node)) {
    if (typeof value === 'object' && value !== null) yield* leaves(value, `${prefix}${key}.`);
    else yield [prefix + key, value];
  }
}
