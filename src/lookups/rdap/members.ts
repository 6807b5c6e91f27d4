/** Reads the members that all RDAP objects share: status values, events, links (RFC 9083 §4), and contacts by role (§5.1, §10.2.4). */
import { isObject, type JsonObject } from '../../core/json.ts';
import { countries } from '../../resources/countries.ts';
import { integerOf, listOf, maxTextLength, objectsOf, textOf, textsOf, timeOf } from './json.ts';
import { isPlaceholder, isStated } from './placeholder.ts';
import type { Abuse } from './schema.ts';

/** RDAP's terms for EPP's (RFC 8056 §2); the others differ only in notation. */
const eppStatus: ReadonlyMap<string, string> = new Map([
  ['ok', 'active'],
  ['linked', 'associated'],
]);

export function statusOf(data: JsonObject): string[] {
  const terms = textsOf(data.status).map((text) => {
    // Some registries append the URL of ICANN's explanation, as in WHOIS.
    const [term = ''] = text.split(/\shttps?:/i, 1);
    return term
      .trimEnd()
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase();
  });
  return [...new Set(terms.map((term) => eppStatus.get(term) ?? term))];
}

/** The first valid date of this action. */
export function eventOf(data: JsonObject, action: string): string | null {
  const events = objectsOf(data.events).filter(({ eventAction }) => textOf(eventAction)?.toLowerCase() === action);
  const times = events.map(({ eventDate }) => timeOf(eventDate));
  return times.find((time) => time !== null) ?? null;
}

/** The first http(s) link with this relation, and with this media type if it is not null. */
export function linkOf(data: JsonObject, rel: string, mediaType: string | null): string | null {
  const links = objectsOf(data.links).filter(({ rel: relation, type }) => {
    const isOfType = mediaType === null || textOf(type)?.split(';')[0]?.trim().toLowerCase() === mediaType;
    return isOfType && textOf(relation)?.toLowerCase() === rel;
  });
  const urls = links.map(({ href }) => httpUrl(href));
  return urls.find((url) => url !== null) ?? null;
}

/** All entities: first the object's own, then the entities nested in these. */
export function entitiesOf(data: JsonObject): readonly JsonObject[] {
  const found = [...objectsOf(data.entities)];
  for (let at = 0; at < found.length; at++) found.push(...objectsOf(found[at]?.entities));
  return found;
}

export const filterByRole = (entities: readonly JsonObject[], role: string): readonly JsonObject[] =>
  entities.filter(({ roles }) => textsOf(roles).some((text) => text.toLowerCase() === role));

/** The contact with the best reachability, at any depth: e-mail before phone. */
export function abuse(entities: readonly JsonObject[]): Abuse | null {
  const contacts = filterByRole(entities, 'abuse').map(cardOf);
  const best =
    contacts.find(({ email }) => email !== null) ?? contacts.find(({ phone }) => phone !== null) ?? contacts[0];
  return best === undefined ? null : { name: best.name ?? best.organization, email: best.email, phone: best.phone };
}

/** The organization of a number block, without the registry's own maintainer objects, whose name equals their handle. */
export function organization(entities: readonly JsonObject[]): string | null {
  const registrants = filterByRole(entities, 'registrant').map((entity) => ({
    card: cardOf(entity),
    handle: textOf(entity.handle),
  }));
  const named = registrants.filter(({ card, handle }) => (card.organization ?? card.name ?? handle) !== handle);
  const best = named.find(({ card }) => card.kind === 'org') ?? named[0];
  return best === undefined ? null : (best.card.organization ?? best.card.name);
}

interface Property {
  readonly name: string;
  readonly parameters: JsonObject;
  readonly value: unknown;
}

/**
 * The fields of an entity's jCard (RFC 7095); each is null without a readable card. `country` is a two-letter code; a name without a known
 * code, unchanged. `isRedacted`: the name is empty, a value is a placeholder, or the email says where to ask.
 */
export function cardOf(entity: JsonObject) {
  const properties = propertiesOf(entity);
  const findAll = (name: string) =>
    properties.filter((property) => property.name === name).sort((a, b) => preferenceOf(a) - preferenceOf(b));
  const findFirst = (name: string, read = plainTextOf): string | null => {
    const texts = findAll(name).map(read);
    return texts.find((text) => text !== null && isStated(text)) ?? null;
  };
  return {
    kind: findFirst('kind')?.toLowerCase() ?? null,
    name: findFirst('fn'),
    // The units of the organization follow its name in the same value.
    organization: findFirst('org'),
    email: findFirst('email', emailOf),
    phone: findFirst('tel', phoneOf),
    url: findFirst('url', ({ value }) => httpUrl(value)),
    country: findFirst('adr', countryOf),
    isRedacted:
      findAll('fn').some(({ value }) => value === '') ||
      findAll('email').some((property) => plainTextOf(property) !== null && emailOf(property) === null) ||
      properties.some(({ value }) =>
        textsOf(listOf(value).flatMap(listOf)).some((text) => isPlaceholder(text.replace(uriScheme, ''))),
      ),
  };
}

/** An http(s) URL, normalized; null for everything else. */
function httpUrl(value: unknown): string | null {
  const text = textOf(value);
  // A shortened URL is another one.
  const url = text === null || text.length > maxTextLength ? null : URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

/** Reads a jCard, whose properties are arrays of `[name, parameters, type, value, ...]`. */
function propertiesOf(entity: JsonObject): readonly Property[] {
  const properties = listOf(entity.vcardArray).find(Array.isArray);
  return listOf(properties).flatMap((property): readonly Property[] => {
    if (!Array.isArray(property) || typeof property[0] !== 'string') return [];
    const [name, parameters, , value] = property;
    return [{ name: name.toLowerCase(), parameters: isObject(parameters) ? parameters : {}, value }];
  });
}

/** 1 is the most preferred, 100 the least (RFC 6350 §5.3). */
const preferenceOf = ({ parameters }: Property): number => integerOf(parameters.pref) ?? 101;

const plainTextOf = ({ value }: Property): string | null => textsOf(value)[0] ?? null;

const uriScheme = /^(?:mailto|tel):/i;

/** Some registrars write in place of an address where to find a form. */
function emailOf(property: Property): string | null {
  const text = plainTextOf(property)?.replace(uriScheme, '') ?? '';
  return text.includes('@') ? text : null;
}

function phoneOf(property: Property): string | null {
  if (textsOf(property.parameters.type).some((type) => type.toLowerCase() === 'fax')) return null;
  return plainTextOf(property)?.replace(uriScheme, '') ?? null;
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
