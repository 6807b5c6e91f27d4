/** Reads streams, bounded in size. */

/** Returns null above `maxBytes`, after discarding the rest, up to `maxDiscardedBytes` in total. Rejects if the stream fails. */
export async function readAtMost(
  stream: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  maxBytes: number,
  maxDiscardedBytes = 0,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (stream === null) return new Uint8Array();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    if (length <= maxBytes) chunks.push(part.value);
    else if (length > maxDiscardedBytes) {
      discard(reader);
      return null;
    }
  }
  if (length > maxBytes) return null;
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** Cancels without waiting, and ignores errors. */
export function discard(stream: { cancel(): Promise<void> } | null): void {
  stream?.cancel().catch(() => {});
}
