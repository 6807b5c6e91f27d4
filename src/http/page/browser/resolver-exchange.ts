/**
 * Finds out who resolves names for this browser. One request waits at the service under a random id while the browser resolves names with
 * this id; the DNS server of the service hands what it observes to that request. Nothing outlives it.
 */

import { announceMs } from '../../../core/name-server.ts';
import { nameCount, namesOf, type ObservedResolvers } from '../../../probes/resolvers.ts';
import { messageOf, readJson } from './elements.ts';

/** The observed resolvers, or a sentence that states why there are none. */
type Observed = ObservedResolvers | { readonly problem: string };

/** Makes the browser resolve a name; the signal ends what this starts. */
type Resolve = (name: string, signal: AbortSignal) => void;

const pauseMs = 100;

/**
 * Runs once with hints to resolve names, which open no connection. If no query arrives, it runs once more with new names and requests: browsers ignore
 * the hints if their prediction of pages is off, as some extensions set it.
 */
export async function observeResolvers(zone: string, signal: AbortSignal): Promise<Observed> {
  try {
    const hinted = await observeOnce(zone, hint, signal);
    return 'problem' in hinted || hinted.resolvers.length > 0 ? hinted : await observeOnce(zone, request, signal);
  } catch {
    return { problem: signal.aborted ? 'The test took too long.' : 'The service is unreachable.' };
  }
}

async function observeOnce(zone: string, resolve: Resolve, signal: AbortSignal): Promise<Observed> {
  const id = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const ended = new AbortController();
  const resolveAll = async (): Promise<void> => {
    // A query that arrives before the request does gets an answer, but nothing keeps it.
    await pause(roundTripMs + announceMs);
    for (const name of namesOf(id, zone)) {
      if (ended.signal.aborted) return;
      resolve(name, ended.signal);
      await pause(pauseMs);
    }
  };
  // Opens a connection if there is none.
  const began = performance.now();
  await read('/api/probes', signal);
  const roundTripMs = performance.now() - began;
  try {
    const [observed] = await Promise.all([
      read(`/api/resolver?id=${id}&names=${nameCount}`, signal) as Promise<Observed>,
      resolveAll(),
    ]);
    return observed;
  } finally {
    ended.abort();
  }
}

async function read(path: string, signal: AbortSignal): Promise<object> {
  const response = await fetch(path, { cache: 'no-store', signal });
  const body = await readJson(response);
  return response.ok ? body : { problem: messageOf(body) };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function hint(name: string, signal: AbortSignal): void {
  const link = document.createElement('link');
  link.rel = 'dns-prefetch';
  link.href = `//${name}`;
  document.head.append(link);
  signal.addEventListener('abort', () => link.remove());
}

/** The certificate of the service does not contain this name: TLS fails, and no request is sent. */
function request(name: string, signal: AbortSignal): void {
  fetch(`https://${name}/`, { mode: 'no-cors', signal }).catch(() => {});
}
