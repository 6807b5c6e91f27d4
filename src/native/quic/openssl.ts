/**
 * The QUIC server of the OpenSSL inside Node, through `node:ffi`.
 *
 * Relies on OpenSSL's public functions, and on four private ones for the connection's own id and its round-trip time. Checked with
 * Node 26.10 and OpenSSL 3.5.8. Without one of them, there is no HTTP/3, and the start says why.
 */
import { loadFunctions } from '../ffi.ts';
import { signatures } from './data/openssl-signatures.ts';

/** Earlier versions free memory twice when certain packets arrive. */
const leastVersion = '3.5.8';

type OpenSsl = NonNullable<Awaited<ReturnType<typeof loadFunctions<typeof signatures>>>>;

/** OpenSSL's functions, after `loadOpenSsl`. */
export let openSsl: OpenSsl;

/** Returns the reason why there are no functions; null if there are. */
export async function loadOpenSsl(): Promise<string | null> {
  const { platform, versions } = process;
  if (platform !== 'linux') return 'only Linux is supported';
  if (versions.openssl.localeCompare(leastVersion, 'en', { numeric: true }) < 0)
    return `OpenSSL ${versions.openssl} is older than ${leastVersion}`;
  const functions = await loadFunctions(signatures);
  if (functions === null) return `Node ${versions.node} lacks node:ffi or a function of OpenSSL; use Node 26`;
  // The first ones stay: callbacks that were registered with them end when they do.
  openSsl ??= functions;
  return null;
}
