/** `seenby serve` and `seenby dev`: start the service and log its URLs. */

import type { Log } from '../core/log.ts';
import type { Settings } from '../core/settings.ts';
import { bounds } from '../edges/node/limits/bounds.ts';
import type { App } from '../http/app.ts';
import { hasTcpOptions } from '../native/tcp-options.ts';
import { type Service, serve } from '../runtime/serve.ts';
import { prepareAsn } from './asn.ts';
import type { ProgressStream } from './progress-bar.ts';

export interface StartHooks {
  /** Wraps the application. */
  readonly before: ((app: App) => App) | undefined;
  /** Called before the URLs are logged. */
  readonly onStart: (service: Service) => void;
}

export async function startAndReport(
  settings: Settings,
  out: ProgressStream,
  log: Log,
  { before, onStart }: StartHooks,
): Promise<Service> {
  // Text for people; everything else is one line for each event.
  const isReadable = settings.logFormat === 'plain' && settings.logLevel === 'info';
  const asnBytes = await prepareAsn(settings, log, isReadable && out.isTTY ? out : null);
  const service = await serve(settings, bounds, { log, wrap: before, asnBytes });
  onStart(service);
  const { http, https, metrics, oldDatabases } = service;
  if (!hasTcpOptions && process.platform === 'linux')
    log(
      'ffi_missing',
      'node:ffi is missing: round-trip time, delivery rate and the TCP SYN are null, databases take more memory, and systemd gets no notifications; use Node 26',
    );
  if (oldDatabases !== null) log('databases_old', oldDatabases);
  if (isReadable) out.write(describeUrls(service));
  else log('listening', 'listening', { http, https, metrics });
  return service;
}

function describeUrls({ http, https, metrics }: Service): string {
  const urls = [http, https, metrics].filter((url) => url !== null);
  const examples = [
    http && `curl ${http}`,
    http && `curl ${http}/json`,
    https && `curl -k --http2 ${https}/json`,
    https && !http && `curl -k ${https}`,
    https && !http && `curl -k ${https}/tls`,
    http && !https && `curl ${http}/headers`,
  ].filter((line) => typeof line === 'string');
  return `Listening on\n${indentLines(urls)}${examples.length > 0 ? `Try\n${indentLines(examples)}` : ''}`;
}

function indentLines(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}\n`).join('');
}
