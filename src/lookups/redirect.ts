/** Which responses lead elsewhere. */

const statuses: readonly number[] = [301, 302, 303, 307, 308];

/** Fetch standard, "redirect status"; the others of 3xx say something else. */
export const isRedirect = (status: number): boolean => statuses.includes(status);
