/** What an edge lends of a request besides what it observed: the body, for the one endpoint that takes any. */

export interface RequestBody {
  /**
   * The whole body; null when it is larger, once enough of the rest was dropped that the caller gets to its answer. To be called
   * once. Rejects with `request_timeout` when the body does not arrive.
   */
  read(maxBytes: number): Promise<Uint8Array | null>;
}
