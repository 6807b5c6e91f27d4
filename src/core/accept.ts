/** Weights in the Accept headers of a request (RFC 9110 §12.4.2). */
import { parseAccept } from 'hono/utils/accept';

/** Values in lower case, with their weights from 0 to 1; the highest weight of a repeated value. */
type Weights = ReadonlyMap<string, number>;

export function parseWeights(header: string): Weights {
  const weights = new Map<string, number>();
  for (const { type, q } of parseAccept(header)) {
    const name = type.toLowerCase();
    weights.set(name, Math.max(q, weights.get(name) ?? 0));
  }
  return weights;
}

/** The weight of the most specific range that covers the media type; 0 if none does (RFC 9110 §12.5.1). */
export function weightOf(weights: Weights, mediaType: string): number {
  return (
    weights.get(mediaType) ?? weights.get(`${mediaType.slice(0, mediaType.indexOf('/'))}/*`) ?? weights.get('*/*') ?? 0
  );
}
