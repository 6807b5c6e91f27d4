/** Progress of an installation. */

/** Prints the elapsed time: in place on a terminal, a line every five seconds elsewhere. @param {string} what */
export function startProgress(what) {
  const startMs = Date.now();
  const { isTTY } = process.stderr;
  const show = () => {
    const seconds = Math.round((Date.now() - startMs) / 1000);
    process.stderr.write(isTTY ? `\r${what} … ${seconds} s` : `${what} … ${seconds} s\n`);
  };
  show();
  const timer = setInterval(show, isTTY ? 500 : 5000);
  return () => {
    clearInterval(timer);
    show();
    if (isTTY) process.stderr.write('\n');
  };
}
