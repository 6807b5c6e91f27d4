/**
 * The path of a request through the source: `node bench/path.ts`. Prints the files of src/ of which a function runs for one `/json`
 * over HTTP/2 and TLS, from the accepted connection to the last byte, by V8's coverage. A first connection warms the service up.
 */
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { readSettings } from '../src/core/settings.ts';
import { bounds } from '../src/edges/node/limits/bounds.ts';
import { serve } from '../src/runtime/serve.ts';
import { responseOverHttp2 } from './http2-load.ts';
import { clientAddress, dataDir, isolate } from './process.ts';
import { printLine } from './report.ts';
import { chromeOverHttp2 } from './requests.ts';

/** Work of timers is in few of them, that of a request in all. */
const connections = 10;

if (!(await isolate())) {
  await printPath();
  process.exit();
}

async function printPath(): Promise<void> {
  const settings = readSettings({ port: '0', 'tls-port': '0', 'data-dir': dataDir }, {});
  if ('problem' in settings) throw new Error(settings.problem);
  const { https } = await serve(settings, bounds, { log: console.error });
  const target = { host: clientAddress, port: Number(new URL(https ?? '').port) };
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const paths: Map<string, string[]>[] = [];
  for (let each = 0; each <= connections; each += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    await takeFunctions(inspector);
    const { status } = await responseOverHttp2(target, chromeOverHttp2('/json'));
    if (status !== 200) throw new Error(`/json: status ${status}`);
    paths.push(await takeFunctions(inspector));
  }
  const [, path = new Map<string, string[]>(), ...others] = paths;
  const files = [...path.keys()].filter((file) => others.every((other) => other.has(file))).toSorted();
  for (const file of files) printLine(`${file}: ${path.get(file)?.join(', ')}`);
  const nodeSide = files.filter((file) => /^(native|ingress|edges|runtime)\//.test(file));
  printLine(`${files.length} files, ${nodeSide.length} of them in native, ingress, edges and runtime`);
}

/** Returns the functions that have run since the last time, by file. */
async function takeFunctions(inspector: Session): Promise<Map<string, string[]>> {
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  const source = new URL('../src/', import.meta.url).href;
  const functionsOf = ({ functions }: (typeof result)[number]) =>
    functions
      .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
      .map(({ functionName }) => functionName || '(unnamed)');
  return new Map(
    result
      .filter(({ url }) => url.startsWith(source))
      .map((script) => [fileURLToPath(script.url).slice(fileURLToPath(source).length), functionsOf(script)] as const)
      .filter(([, functions]) => functions.length > 0),
  );
}
