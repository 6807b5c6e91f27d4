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
  return grading.grade({
    url: textArgument(given.url, 'grade: url'),
    finalUrl: textArgument(given.finalUrl, 'grade: finalUrl'),
    status: numberArgument(given.status, 'grade: status'),
    hops: arrayArgument(given.hops, 'grade: hops').map(hopArgument),
    setCookies: textsArgument(given.setCookies, 'grade: setCookies'),
    headers,
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
