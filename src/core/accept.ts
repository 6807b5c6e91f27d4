/** Weights in the Accept headers of a request (RFC 9110 §12.4.2). */

/** Values in lower case, with their weights from 0 to 1; the highest weight of a repeated value. */
type Weights = ReadonlyMap<string, number>;

/** A quoted string, which may contain commas and semicolons (RFC 9110 §5.6.4); one without its end takes the rest. */
const quoted = /"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)/g;

/** Returns the weights of a list such as `text/html;level=1, application/json;q=0.5`; 1 for a value without a valid one. */
export function parseWeights(header: string): Weights {
  const weights = new Map<string, number>();
  const list = header.includes('"') ? header.replace(quoted, (text) => text.replaceAll(/[,;="]/g, ' ')) : header;
  for (const element of list.split(',')) {
    const [value = '', ...parameters] = element.split(';');
    const name = value.trim().toLowerCase();
    if (name !== '') weights.set(name, Math.max(weightIn(parameters), weights.get(name) ?? 0));
  }
  return weights;
}

function weightIn(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim().toLowerCase() !== 'q' || value.trim() === '') continue;
    const weight = Number(value);
    return Number.isNaN(weight) ? 1 : Math.min(1, Math.max(0, weight));
  }
  return 1;
}

/** The weight of the most specific range that covers the media type; 0 if none does (RFC 9110 §12.5.1). */
export function weightOf(weights: Weights, mediaType: string): number {
  return (
    weights.get(mediaType) ?? weights.get(`${mediaType.slice(0, mediaType.indexOf('/'))}/*`) ?? weights.get('*/*') ?? 0
  );
}
