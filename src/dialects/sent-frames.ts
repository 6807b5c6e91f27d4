/** What the shapes of both fingerprint services show besides the fingerprint: the client's first frames, and its header fields. */
import { versionNames } from '../client/fingerprint/data/tls-names.ts';
import type { Named } from '../client/fingerprint/names.ts';
import type { ObservedRequest } from '../core/observed.ts';
import { fingerprint } from '../resources/fingerprint.ts';

export type SentFingerprint = ReturnType<typeof sentFingerprint>;
export type SentFrame = NonNullable<SentFingerprint['frames']>[number];

const headersFrame = 1;

/** RFC 9113 §6.2. */
const headersFlags: readonly Named[] = [
  { id: 1, name: 'END_STREAM' },
  { id: 4, name: 'END_HEADERS' },
  { id: 8, name: 'PADDED' },
  { id: 32, name: 'PRIORITY' },
];

/**
 * Returns the fingerprint with three members more. `frames`: the first HTTP/2 frames; the HEADERS frame has the names of its flags that are
 * set, and the header fields. What a frame does not have is null, and so is what came too late to be read. `http1`: the header fields over
 * HTTP/1, null over other versions. `negotiatedVersion`: the number of the TLS version.
 */
export function sentFingerprint(observed: ObservedRequest) {
  const print = fingerprint(observed);
  const { frames, version } = print.http;
  const fields = observed.handshake.headerFields;
  const headers = frames?.find(({ id }) => id === headersFrame);
  const others = frames
    ?.filter((frame) => frame !== headers)
    .map((frame) => ({ ...frame, flagNames: null, fields: null }));
  const unread = { flags: null, streamId: null, length: null, settings: null, increment: null, priority: null };
  const flagNames = headers ? headersFlags.filter(({ id }) => headers.flags & id) : null;
  return {
    ...print,
    // HEADERS is the last of them.
    frames: others
      ? [...others, { id: headersFrame, name: 'HEADERS', ...unread, ...headers, flagNames, fields }]
      : null,
    http1: version?.startsWith('HTTP/1') ? fields : null,
    negotiatedVersion: [...versionNames].find(([, name]) => name === observed.tls.version)?.[0] ?? null,
  };
}
