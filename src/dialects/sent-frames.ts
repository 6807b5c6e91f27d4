/** The first HTTP/2 frames of a client with its header fields, as both fingerprint shapes have them. */
import { versionNames } from '../client/fingerprint/data/tls-names.ts';
import type { Named } from '../client/fingerprint/names.ts';
import type { HeaderField, ObservedRequest } from '../core/observed.ts';
import { type Fingerprint, fingerprint } from '../resources/fingerprint.ts';

type Frame = NonNullable<Fingerprint['http']['frames']>[number];

/** Null: it has no such member, or came too late to be read. */
export type SentFrame = { readonly [Member in Exclude<keyof Frame, 'flags'>]: Frame[Member] | null } & {
  readonly flags: number | null;
  /** The flags of a HEADERS frame that are set. */
  readonly flagNames: readonly Named[] | null;
  /** The fields of a HEADERS frame; pseudo-headers first. */
  readonly fields: readonly HeaderField[] | null;
};

export interface SentFingerprint extends Fingerprint {
  readonly frames: readonly SentFrame[] | null;
  /** Header fields over HTTP/1; null over other versions. */
  readonly http1: readonly HeaderField[] | null;
  readonly negotiatedVersion: number | null;
}

const headersFrame = 1;

/** RFC 9113 §6.2. */
const headersFlags: readonly Named[] = [
  { id: 1, name: 'END_STREAM' },
  { id: 4, name: 'END_HEADERS' },
  { id: 8, name: 'PADDED' },
  { id: 32, name: 'PRIORITY' },
];

export function sentFingerprint(observed: ObservedRequest): SentFingerprint {
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
