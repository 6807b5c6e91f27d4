/** Joins the known values of a list, for a sentence or a row. */

/** Each value once, without the missing ones; null if none is known. */
export const joinKnown = (values: readonly (string | null | undefined)[], separator = ', '): string | null =>
  [...new Set(values)].filter((value) => value).join(separator) || null;
