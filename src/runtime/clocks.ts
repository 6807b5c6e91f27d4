/** The clocks of the process. */

export type Clocks = ReturnType<typeof readClocks>;

/**
 * Milliseconds of the system clock, since the Unix epoch, and of one that no setting changes but that may stop while the machine sleeps.
 */
export const readClocks = () => ({ wallMs: Date.now(), monotonicMs: performance.now() });
