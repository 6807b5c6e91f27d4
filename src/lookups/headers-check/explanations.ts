/** Explains outcomes in which browsers and the HTTP Observatory differ; the grade follows the Observatory. */

import { hstsProblemOf, hstsValuesOf } from './checks/strict-transport-security.ts';
import { hstsLine, type Outcome, sendHsts } from './outcomes.ts';
import type { Check, GradedResponse } from './schema.ts';

type Explanation = Partial<Pick<Check, 'description' | 'recommendation' | 'suggestion'>>;

/** Texts in place of those of the outcome; empty if they fit. */
export function explain(outcome: Outcome, { headers }: GradedResponse): Explanation {
  return explanations[outcome]?.(headers) ?? {};
}

type Headers = GradedResponse['headers'];

const explanations: { readonly [Each in Outcome]?: (headers: Headers) => Explanation } = {
  'hsts-header-invalid': explainInvalidHsts,
  'hsts-implemented-max-age-at-least-six-months': explainIgnoredHsts,
  'hsts-implemented-max-age-less-than-six-months': explainIgnoredHsts,
  'x-frame-options-header-invalid': explainFrameOptions,
  'x-content-type-options-header-invalid': explainContentTypeOptions,
};

function explainIgnoredHsts(headers: Headers): Explanation {
  const problem = hstsProblemOf(headers['strict-transport-security'] ?? '');
  if (problem === null) return {};
  return {
    description: `The HTTP Observatory accepts this value, but browsers ignore the header: ${problem}.`,
    recommendation: sendHsts,
    suggestion: hstsLine,
  };
}

function explainInvalidHsts(headers: Headers): Explanation {
  const value = headers['strict-transport-security'] ?? '';
  const problem = hstsProblemOf(value);
  if (problem !== null) return value === '' ? {} : { description: `Browsers ignore the header: ${problem}.` };
  if (hstsValuesOf(value).length > 1)
    return {
      description:
        'The header was sent more than once: browsers honor the first one, but the HTTP Observatory counts it as invalid.',
    };
  return {
    description: value.includes(',')
      ? 'A comma stands in place of a semicolon: browsers honor max-age, but ignore the directives next to the comma.'
      : 'Browsers honor this value, but the HTTP Observatory counts it as invalid because of the spaces around the equals sign.',
  };
}

function explainFrameOptions(headers: Headers): Explanation {
  const values = new Set((headers['x-frame-options'] ?? '').split(',').map((value) => value.trim().toUpperCase()));
  // HTML §7.4.5: different values block every frame if one of them is known.
  if (!values.has('DENY') && !values.has('SAMEORIGIN')) return {};
  const line = `X-Frame-Options: ${values.has('DENY') ? 'DENY' : 'SAMEORIGIN'}`;
  return {
    description:
      values.size === 1
        ? 'The header was sent more than once: browsers honor the repeated value, but the HTTP Observatory counts it as invalid.'
        : 'The header was sent with different values: browsers then block every frame, but the HTTP Observatory counts it as invalid.',
    recommendation: `Send the header only once: ${line}`,
    suggestion: line,
  };
}

function explainContentTypeOptions(headers: Headers): Explanation {
  // Fetch §3.6: the first value counts.
  const [first = ''] = (headers['x-content-type-options'] ?? '').split(',');
  if (first.trim().toLowerCase() !== 'nosniff') return {};
  return {
    description:
      'The header was sent more than once: browsers honor the first value, but the HTTP Observatory counts it as invalid.',
    recommendation: 'Send the header only once: X-Content-Type-Options: nosniff',
  };
}
