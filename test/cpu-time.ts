/** The CPU time of this process, for tests of work that must not take long: other programs cannot make them fail. */

/** Returns a function that returns the CPU milliseconds since this call. */
export function cpuClock(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}
