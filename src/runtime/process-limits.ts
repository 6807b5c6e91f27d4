/**
 * The limit of open files: the limits on connections are lowered to what the system permits, because the kernel rejects connections above
 * that silently.
 */
import { readFileSync } from 'node:fs';
import type { Settings } from '../core/settings.ts';

/** Databases, certificates, logs, timers and name servers; and the event loop of each further thread. */
const reservedFiles = 64;
const reservedFilesPerThread = 32;

/** Soft limit of open files; null if the system does not state it, as only Linux does. */
export function readOpenFilesLimit(): number | null {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}

type PortSettings = Pick<Settings, 'maxConnections' | 'maxOutbound' | 'port' | 'tlsPort' | 'http3Port'>;

/**
 * Returns the connections per port, 0: no limit, and what sets that limit, for a log line: the limit of the settings, or a lower one if all
 * ports together would leave too few files for outbound requests and everything else; those get at most half of all files.
 */
export function fitConnections(
  { maxConnections, maxOutbound, port, tlsPort, http3Port }: PortSettings,
  openFiles: number | null,
  threads = 1,
) {
  const bySetting = { max: maxConnections, reason: `MAX_CONNECTIONS is ${maxConnections}` };
  if (openFiles === null) return bySetting;
  // A connection over HTTP/3 takes a socket to the process that runs QUIC.
  const ports = [port, tlsPort, http3Port].filter((each) => each !== null).length;
  const needed = reservedFiles + reservedFilesPerThread * (threads - 1) + maxOutbound;
  const reserved = Math.min(needed, Math.ceil(openFiles / 2));
  const max = Math.max(1, Math.floor((openFiles - reserved) / ports));
  if (maxConnections !== 0 && maxConnections <= max) return bySetting;
  const reason = `the limit of open files (${openFiles}) allows ${max} per port; raise it (ulimit -n, LimitNOFILE)`;
  return { max, reason };
}
