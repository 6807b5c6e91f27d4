/** A log that a test waits for. */

/** Far more than any line takes, also on a busy machine. */
const lineTimeoutMs = 45_000;

/** A log whose `line` resolves with the first line that matches. */
export function logbook() {
  const lines: string[] = [];
  let notify: () => void = () => {};
  return {
    lines,
    log(line: string): void {
      lines.push(line);
      notify();
    },
    async line(pattern: RegExp): Promise<string> {
      for (;;) {
        const found = lines.find((line) => pattern.test(line));
        if (found !== undefined) return found;
        await new Promise<void>((resolve, reject) => {
          const fail = () => reject(new Error(`no line ${pattern} in:\n${lines.join('\n')}`));
          const timer = setTimeout(fail, lineTimeoutMs);
          notify = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
  };
}
