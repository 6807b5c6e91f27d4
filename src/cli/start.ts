/** `seenby serve` and `seenby dev`: start the service and print its URLs. */
import type { Settings } from '../core/settings.ts';
import { hasTcpOptions } from '../edges/node/connection/tcp-options.ts';
import { bounds } from '../edges/node/limits/bounds.ts';
import { type Service, serve } from '../edges/node/serve.ts';
import type { App } from '../http/app.ts';
import { prepareAsn } from './asn.ts';
import type { ProgressStream } from './progress-bar.ts';

/** Starts the service; `before` may wrap the application. */
export async function startAndReport(
  settings: Settings,
  out: ProgressStream,
  before?: (app: App) => App,
): Promise<Service> {
  const asnBytes = await prepareAsn(settings, out);
  const service = await serve(settings, bounds, (line) => out.write(`${line}\n`), before, asnBytes);
  const { http, https, metrics, oldDatabases } = service;
  if (!hasTcpOptions && process.platform === 'linux')
    out.write('This Node has no node:ffi: round-trip time and delivery rate are null; Node 26 reports them.\n');
  if (oldDatabases !== null) out.write(`${oldDatabases}\n`);
  const urls = [http, https, metrics].filter((url) => url !== null);
  const examples = [
    http && `curl ${http}`,
    http && `curl ${http}/json`,
    https && `curl -k --http2 ${https}/json`,
    https && !http && `curl -k ${https}`,
    https && !http && `curl -k ${https}/tls`,
    http && !https && `curl ${http}/headers`,
  ].filter((line) => typeof line === 'string');
  out.write(`Listening on\n${indentLines(urls)}`);
  if (examples.length > 0) out.write(`Try\n${indentLines(examples)}`);
  return service;
}

function indentLines(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}\n`).join('');
}
