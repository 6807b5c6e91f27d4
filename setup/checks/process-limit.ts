/**
 * Loaded before the tests of a process: ends it if it lives for longer than the milliseconds in the query of this module's URL. Node's limit ends
 * a test that hangs, not what the test has left running; its `--test-force-exit` loses results.
 */
const limitMs = Number(new URL(import.meta.url).search.slice(1));

setTimeout(() => {
  process.stderr.write(`not ended after ${limitMs} ms; still active: ${process.getActiveResourcesInfo().join(', ')}\n`);
  process.exit(1);
}, limitMs).unref();
