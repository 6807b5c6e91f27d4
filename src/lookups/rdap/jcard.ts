/** Reads the contact data of an entity from its jCard (RFC 7095): an array of `[name, parameters, type, value, ...]`. */
import { countries } from '../../resources/countries.ts';
import { integerOf, isObject, type JsonObject, listOf, maxTextLength, textOf, textsOf } from './json.ts';

interface Property {
  readonly name: string;
  readonly parameters: JsonObject;
  readonly value: unknown;
}

/**
 * The fields of an entity's card; each is null without a readable card. `country` is a two-letter code; a name without a known code,
 * unchanged. `isRedacted`: the name is empty or a placeholder.
 */
export function cardOf(entity: JsonObject) {
  const properties = propertiesOf(entity);
  const findAll = (name: string) =>
    properties.filter((property) => property.name === name).sort((a, b) => preferenceOf(a) - preferenceOf(b));
  const findFirst = (name: string, read = plainTextOf) => firstOf(findAll(name), read);
  return {
    kind: findFirst('kind')?.toLowerCase() ?? null,
    name: findFirst('fn'),
    // The units of the organization follow its name in the same value.
    organization: findFirst('org'),
    email: findFirst('email', (property) => plainTextOf(property)?.replace(/^mailto:/i, '') ?? null),
    phone: findFirst('tel', phoneOf),
    url: findFirst('url', ({ value }) => httpUrl(value)),
    country: findFirst('adr', countryOf),
    isRedacted:
      findAll('fn').some(({ value }) => value === '') ||
      [...findAll('fn'), ...findAll('org')].some((property) => isPlaceholder(plainTextOf(property))),
  };
}

/** An http(s) URL, normalized; null for everything else. */
export function httpUrl(value: unknown): string | null {
  const text = textOf(value);
  // A shortened URL is another one.
  const url = text === null || text.length > maxTextLength ? null : URL.parse(text);
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

/** Whether a registry wrote this text in place of a redacted value. */
const isPlaceholder = (text: string | null): boolean =>
  text !== null &&
  /^\W*(?:redacted|masked|data (?:protected|redacted)|gdpr|not disclosed|statutory masking|withheld)\b/i.test(text);

/** 1 is the most preferred, 100 the least (RFC 6350 §5.3). */
const preferenceOf = ({ parameters }: Property): number => integerOf(parameters.pref) ?? 101;

const plainTextOf = ({ value }: Property): string | null => textsOf(value)[0] ?? null;

function phoneOf(property: Property): string | null {
  if (textsOf(property.parameters.type).some((type) => type.toLowerCase() === 'fax')) return null;
  return plainTextOf(property)?.replace(/^tel:/i, '') ?? null;
}

/** Country from the parameter `cc` (RFC 8605), the seventh part of the address, or the last line of its label. */
function countryOf({ parameters, value }: Property): string | null {
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
