/** Reads the SvcParams of SVCB and HTTPS records (RFC 9460 §2.2, §7, §8). Pure. */
import { ByteReader } from '../byte-reader.ts';
import { characterString, Malformed } from './name.ts';

/** A parameter by its number. The value of a number without a known format is its octets. */
export type ServiceParameter = { readonly key: number } & (
  | { readonly kind: 'keys'; readonly keys: readonly number[] }
  | { readonly kind: 'texts'; readonly texts: readonly Uint8Array[] }
  | { readonly kind: 'empty' }
  | { readonly kind: 'port'; readonly port: number }
  | { readonly kind: 'addresses'; readonly addresses: readonly Uint8Array[] }
  | { readonly kind: 'base64' | 'octets'; readonly octets: Uint8Array }
);

/** Numbers of IANA's registry whose values have a format that this file checks. */
export const serviceKeys = {
  mandatory: 0,
  alpn: 1,
  noDefaultAlpn: 2,
  port: 3,
  ipv4hint: 4,
  ech: 5,
  ipv6hint: 6,
  ohttp: 8,
};

/** Throws if a client must treat the record as malformed. It ignores the parameters of an alias (RFC 9460 §2.4.2), if they can be read. */
export function readServiceParameters(reader: ByteReader, mode: 'alias' | 'service'): readonly ServiceParameter[] {
  const parameters: ServiceParameter[] = [];
  let last = -1;
  while (!reader.isAtEnd) {
    const key = reader.number(2);
    if (key <= last) throw new Malformed('the keys of its parameters are not in ascending order');
    last = key;
    parameters.push(readValue(key, reader.vector(2)));
  }
  if (mode === 'service') validateConsistency(parameters);
  return parameters;
}

function readValue(key: number, octets: Uint8Array): ServiceParameter {
  switch (key) {
    case serviceKeys.mandatory: {
      const keys = chunksOf(key, octets, 2).map((chunk) => new ByteReader(chunk).number(2));
      if (keys.some((each, at) => at > 0 && each <= (keys[at - 1] ?? 0)))
        throw new Malformed('its mandatory keys are not in ascending order');
      return { key, kind: 'keys', keys };
    }
    case serviceKeys.alpn:
      return { key, kind: 'texts', texts: textsOf(key, octets) };
    case serviceKeys.noDefaultAlpn:
    case serviceKeys.ohttp:
      if (octets.length > 0) throw wrongValue(key);
      return { key, kind: 'empty' };
    case serviceKeys.port:
      if (octets.length !== 2) throw wrongValue(key);
      return { key, kind: 'port', port: new ByteReader(octets).number(2) };
    case serviceKeys.ipv4hint:
      return { key, kind: 'addresses', addresses: chunksOf(key, octets, 4) };
    case serviceKeys.ipv6hint:
      return { key, kind: 'addresses', addresses: chunksOf(key, octets, 16) };
    case serviceKeys.ech:
      if (octets.length === 0) throw wrongValue(key);
      return { key, kind: 'base64', octets };
    default:
      return { key, kind: 'octets', octets };
  }
}

const wrongValue = (key: number): Malformed => new Malformed(`its parameter ${key} has an invalid value`);

/** At least one piece of this size, and no rest. */
function chunksOf(key: number, octets: Uint8Array, size: number): Uint8Array[] {
  if (octets.length === 0 || octets.length % size !== 0) throw wrongValue(key);
  return Array.from({ length: octets.length / size }, (_, at) => octets.subarray(at * size, (at + 1) * size));
}

/** RFC 9460 §7.1.1: at least one identifier, and none empty. */
function textsOf(key: number, octets: Uint8Array): Uint8Array[] {
  const reader = new ByteReader(octets);
  const texts: Uint8Array[] = [];
  while (!reader.isAtEnd) texts.push(characterString(reader));
  if (texts.length === 0 || texts.some((text) => text.length === 0)) throw wrongValue(key);
  return texts;
}

/** RFC 9460 §7.1.1 and §8: what is mandatory is there, and without the default protocol there is another. */
function validateConsistency(parameters: readonly ServiceParameter[]): void {
  const present = new Set(parameters.map(({ key }) => key));
  const mandatory = parameters.flatMap((each) => (each.kind === 'keys' ? each.keys : []));
  if (mandatory.some((key) => key === serviceKeys.mandatory || !present.has(key)))
    throw new Malformed('it lacks a parameter that it declares mandatory');
  if (present.has(serviceKeys.noDefaultAlpn) && !present.has(serviceKeys.alpn))
    throw new Malformed('it has no-default-alpn without alpn');
}
