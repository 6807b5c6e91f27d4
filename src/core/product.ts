/** Name and version of the service, as every card, description and header states them. */

export const product = { name: 'Seenby', version: '1.3.0' } as const;
