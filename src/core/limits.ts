/** The two rates: calls that one address may make within the window. */
export const windowSeconds = 60;

export const rates = {
  general: { perWindow: 60, covers: 'calls to the endpoints' },
  lookup: { perWindow: 10, covers: 'lookups that make an outbound request' },
} as const;
export type RateName = keyof typeof rates;
