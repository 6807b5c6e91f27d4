/** Contact data of an entity, read from its jCard (RFC 7095): an array of `[name, parameters, type, value, ...]`. */
import { countries } from '../../resources/countries.ts';
import { integerOf, isObject, type JsonObject, listOf, textOf, textsOf } from './json.ts';

interface Property {
  readonly name: string;
  readonly parameters: JsonObject;
  readonly value: unknown;
}

export interface Card {
  readonly kind: string | null;
  /** The formatted name. */
  readonly name: string | null;
  readonly organization: string | null;
  readonly email: string | null;
  /** The first number that is no fax. */
  readonly phone: string | null;
  readonly url: string | null;
  /** A two-letter code; a name that is in no list, as it stands. */
  readonly country: string | null;
  /** Whether the name is there but empty, or words that stand in its place. */
  readonly isRedacted: boolean;
}

/** Everything null for an entity without a readable card. */
export function cardOf(entity: JsonObject): Card {
  const properties = propertiesOf(entity);
  const named = (name: string) =>
    properties.filter((property) => property.name === name).sort((a, b) => preference(a) - preference(b));
  const first = (name: string, read = plain) => firstOf(named(name), read);
  return {
    kind: first('kind')?.toLowerCase() ?? null,
    name: first('fn'),
    // The units below the organization follow it in the same value.
    organization: first('org'),
    email: first('email', (property) => plain(property)?.replace(/^mailto:/i, '') ?? null),
    phone: first('tel', phone),
    url: first('url', ({ value }) => httpUrl(value)),
    country: first('adr', country),
    isRedacted:
      named('fn').some(({ value }) => value === '') ||
      [...named('fn'), ...named('org')].some((property) => isPlaceholder(plain(property))),
  };
}

/** An http(s) URL, normalized; null for all else. */
export function httpUrl(value: unknown): string | null {
  const text = textOf(value);
  const url = text === null ? null : URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

function propertiesOf(entity: JsonObject): readonly Property[] {
  const properties = listOf(entity.vcardArray).find(Array.isArray);
  return listOf(properties).flatMap((property): readonly Property[] => {
    if (!Array.isArray(property) || typeof property[0] !== 'string') return [];
    const [name, parameters, , value] = property;
    return [{ name: name.toLowerCase(), parameters: isObject(parameters) ? parameters : {}, value }];
  });
}

function firstOf(properties: readonly Property[], read: (property: Property) => string | null): string | null {
  for (const property of properties) {
    const text = read(property);
    if (text !== null && !isPlaceholder(text)) return text;
  }
  return null;
}

/** Words that registries write where a value was. */
const isPlaceholder = (text: string | null): boolean =>
  text !== null &&
  /^\W*(?:redacted|masked|data (?:protected|redacted)|gdpr|not disclosed|statutory masking|withheld)\b/i.test(text);

/** 1 is the most preferred, 100 the least (RFC 6350 §5.3). */
const preference = ({ parameters }: Property): number => integerOf(parameters.pref) ?? 101;

const plain = ({ value }: Property): string | null => textsOf(value)[0] ?? null;

function phone(property: Property): string | null {
  if (textsOf(property.parameters.type).some((type) => type.toLowerCase() === 'fax')) return null;
  return plain(property)?.replace(/^tel:/i, '') ?? null;
}

/** From the parameter `cc` (RFC 8605), the seventh part of the address, or the last line of its label. */
function country({ parameters, value }: Property): string | null {
  const stated = textOf(parameters.cc) ?? (Array.isArray(value) ? (textsOf(value[6])[0] ?? null) : null);
  if (stated !== null) return codeOf(stated) ?? stated;
  // Some servers write a line break as a backslash and an n.
  const lines = textOf(parameters.label)?.split(/\n|\\n/) ?? [];
  return codeOf(lines.at(-1) ?? '');
}

const codes = new Map([...countries].map(([code, { name }]) => [name.toLowerCase(), code]));

function codeOf(text: string): string | null {
  const isCode = /^[a-z]{2}$/i.test(text);
  return isCode ? text.toUpperCase() : (codes.get(text.trim().toLowerCase()) ?? null);
}
