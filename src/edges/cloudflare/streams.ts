/** Reads streams within bounds. */

/** Null above `maxBytes`; what is above is read and dropped, up to `maxDroppedBytes`. Rejects where the stream breaks off. */
export async function readAtMost(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  maxDroppedBytes = 0,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (stream === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    if (length <= maxBytes) chunks.push(part.value);
    else if (length > maxDroppedBytes) {
      discard(reader);
      return null;
    }
  }
  if (length > maxBytes) return null;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Nobody waits for its end, and what ends it does not matter. */
export function discard(stream: { cancel(): Promise<void> } | null): void {
  stream?.cancel().catch(() => {});
}
