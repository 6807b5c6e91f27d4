/** Runs one lookup after another: those of the service, a User-Agent, or a request to a running service. */
import { ServiceError } from '../core/errors.ts';
import type { Settings } from '../core/settings.ts';
import type { Item, LookupCommand } from './commands.ts';
import type { ProgressStream } from './databases/progress-bar.ts';

/** A result, or why there is none: a ServiceError, or an Error with a message for the user. */
export type Found = { readonly item: string } & ({ readonly value: object } | { readonly error: Error });

/** Looks up one item after another, so that a registry is not flooded. `notices` receives the progress of a conversion. */
export async function* runLookups(
  request: LookupCommand,
  items: readonly Item[],
  notices: ProgressStream,
): AsyncGenerator<Found> {
  await using opened = new AsyncDisposableStack();
  const lookUp = await openLookup(request, opened, notices);
  for (const [item, choice] of items) {
    const found = await lookUp(item, choice).then(
      (value) => ({ value }),
      (error: Error) => ({ error }),
    );
    yield { item, ...found };
  }
}

/** Loads only what the command needs. */
async function openLookup(
  request: LookupCommand,
  opened: AsyncDisposableStack,
  notices: ProgressStream,
): Promise<(...item: Item) => Promise<object>> {
  const { command, settings } = request;
  if (command.name === 'me') return (item) => askService(item === '' ? defaultUrl(settings) : item);
  if (command.name === 'ua') {
    const { parseUserAgent } = await import('../client/user-agent.ts');
    return async (item) => parseUserAgent(item);
  }
  const { openServiceLookup } = await import('./service-lookup.ts');
  return openServiceLookup(request, opened, notices);
}

function defaultUrl({ publicUrl, port, tlsPort }: Settings): string {
  if (publicUrl !== null) return publicUrl;
  return port === null ? `https://localhost:${tlsPort}` : `http://localhost:${port}`;
}

const serviceTimeoutMs = 10_000;

/** The user chose this URL, so it may be local. */
async function askService(url: string): Promise<object> {
  const base = (/^\w+:\/\//.test(url) ? url : `https://${url}`).replace(/\/+$/, '');
  const parsed = URL.parse(base);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '')
    throw new ServiceError('invalid_url', 'Send the URL of a running service, such as https://seenby.example.');
  const response = await fetch(`${base}/json`, { signal: AbortSignal.timeout(serviceTimeoutMs) }).catch(
    (error: Error) => {
      const reason = error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
      if (reason.includes('wrong version number')) throw new Error(`${base} does not use TLS; use an http:// URL`);
      if (reason.includes('certificate'))
        throw new Error(
          `${base} responds, but its certificate is not trusted (${reason.split(';')[0]}); use its http:// URL`,
        );
      throw new Error(`no response from ${base}: ${reason.split('\n')[0]}; start the service, or add its URL`);
    },
  );
  const value = await response.json().catch(() => null);
  if (!response.ok || typeof value !== 'object' || value === null)
    throw new Error(`${base}/json returned ${response.status}, not the data of this service; check the URL`);
  return value;
}
