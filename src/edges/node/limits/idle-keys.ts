/** Bounds a map whose keys are in the order of their latest use. */

/** Part of the keys that is discarded together. */
const share = 1 / 64;

/**
 * Above `maxKeys`, discards the keys that have been idle longest. Several together, because a new iterator first visits every deletion
 * since the map was last rebuilt: 20 µs in a full table. One iterator for all calls would keep every version of the map that V8 has
 * rebuilt since its last step in memory: 100 bytes for each request.
 */
export function discardIdleKeys(map: Map<string, unknown>, maxKeys: number): void {
  if (map.size <= maxKeys) return;
  let excess = map.size - maxKeys + Math.floor(maxKeys * share);
  for (const key of map.keys()) {
    map.delete(key);
    excess -= 1;
    if (excess === 0) return;
  }
}
