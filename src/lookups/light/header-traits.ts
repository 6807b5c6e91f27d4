/** Traits of request headers that bot detection often weighs. */
import type { HeaderSubject } from '../../traits/claims.ts';
import * as traits from '../../traits/header-traits.ts';
import {
  type HeadersArgument,
  headersArgument,
  numberArgument,
  objectArgument,
  optionalTextArgument,
} from './arguments.ts';

/** What is not known may be absent. */
type Subject = Partial<Omit<HeaderSubject, 'headers' | 'nowMs'>> &
  Pick<HeaderSubject, 'nowMs'> & { readonly headers: HeadersArgument };

/** Hints with reasons, not proofs. Throws a TypeError without headers and a time. */
export function headerTraits(subject: Subject): traits.HeaderTraits {
  const {
    own = false,
    https = null,
    http2 = null,
    handshake = null,
    ...given
  } = objectArgument(subject, 'headerTraits: the argument');
  return traits.headerTraits({
    headers: headersArgument(given.headers, 'headerTraits: headers'),
    own,
    https,
    http2,
    ip: optionalTextArgument(given.ip, 'headerTraits: ip'),
    nowMs: numberArgument(given.nowMs, 'headerTraits: nowMs'),
    handshake,
  });
}
