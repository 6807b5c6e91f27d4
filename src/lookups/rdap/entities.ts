/** The contacts of an RDAP object by role (RFC 9083 §5.1, §10.2.4). */
import * as z from 'zod';
import { cardOf } from './jcard.ts';
import { type JsonObject, objectsOf, textOf, textsOf } from './json.ts';

/** All entities: those of the object itself first, then those nested in them. */
export function entitiesOf(data: JsonObject): readonly JsonObject[] {
  const found = [...objectsOf(data.entities)];
  for (let at = 0; at < found.length; at++) found.push(...objectsOf(found[at]?.entities));
  return found;
}

export const filterByRole = (entities: readonly JsonObject[], role: string): readonly JsonObject[] =>
  entities.filter(({ roles }) => textsOf(roles).some((text) => text.toLowerCase() === role));

export const Abuse = z
  .strictObject({
    name: z.string().nullable().describe('Name of the contact'),
    email: z.string().nullable().describe('Email address for abuse reports'),
    phone: z.string().nullable().describe('Phone number for abuse reports'),
  })
  .meta({ id: 'AbuseContact', description: 'Contact for abuse reports' });
export type Abuse = z.infer<typeof Abuse>;

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
