/** Traits of request headers that bot detection often weighs. */
import type { HeaderSubject } from '../../traits/claims.ts';
import * as traits from '../../traits/header-traits.ts';
import { type HeadersArgument, headersArgument, objectArgument } from './arguments.ts';

type Subject = Omit<HeaderSubject, 'headers'> & { readonly headers: HeadersArgument };

/** Hints with reasons, not proofs. Throws a TypeError without headers. */
export function headerTraits(subject: Subject): traits.HeaderTraits {
  const given = objectArgument(subject, 'headerTraits: the argument');
  return traits.headerTraits({ ...given, headers: headersArgument(given.headers, 'headerTraits: headers') });
}
