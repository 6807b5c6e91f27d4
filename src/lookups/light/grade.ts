/** The security grade of response headers. */
import * as grading from '../headers-check/grade.ts';
import type { Grade, GradedResponse, Hop } from '../headers-check/schema.ts';
import {
  arrayArgument,
  type HeadersArgument,
  headersArgument,
  numberArgument,
  objectArgument,
  optionalTextArgument,
  textArgument,
  textsArgument,
} from './arguments.ts';

type GivenResponse = Omit<GradedResponse, 'headers'> & { readonly headers: HeadersArgument };

/** The grade by the rules of the HTTP Observatory. Throws a TypeError without a response and its headers. */
export function grade(response: GivenResponse): Grade {
  const given = objectArgument(response, 'grade: the argument');
  const { 'set-cookie': _, ...headers } = headersArgument(given.headers, 'grade: headers');
  const url = textArgument(given.url, 'grade: url');
  const finalUrl = textArgument(given.finalUrl, 'grade: finalUrl');
  const status = numberArgument(given.status, 'grade: status');
  const hops = arrayArgument(given.hops, 'grade: hops').map(hopArgument);
  return grading.grade({
    url,
    finalUrl,
    status,
    // The final response is a hop itself.
    hops: hops.length === 0 ? [{ url: finalUrl, status, location: null }] : hops,
    setCookies: textsArgument(given.setCookies, 'grade: setCookies'),
    headers,
    ...(given.nowMs !== undefined && { nowMs: numberArgument(given.nowMs, 'grade: nowMs') }),
  });
}

function hopArgument(hop: GradedResponse['hops'][number], at: number): Hop {
  const argument = `grade: hops[${at}]`;
  const { url, status, location } = objectArgument(hop, argument);
  return {
    url: textArgument(url, `${argument}.url`),
    status,
    location: optionalTextArgument(location, `${argument}.location`),
  };
}
