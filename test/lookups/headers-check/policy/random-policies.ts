/** Random responses of a site with policies of all kinds, and what a suggested header line makes of them. */
import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { GradedResponse } from '../../../../src/lookups/headers-check/schema.ts';
import { responseOf } from '../graded-response.ts';

export const nonce = 'R4nd0mR4nd0mR4nd0mR4nd';
export const hash = 'sha256-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ=';

const hosts = (self: string): string[] => [
  ...[`https://${self}`, `http://${self}`, self, `https://${self}/js/`, `http://${self}/js/`, `*.${self}`, `${self}:*`],
  ...[
    'https://cdn.test',
    'http://cdn.test',
    'cdn.test',
    '*.test',
    'https://*.cdn.test',
    'http://cdn.test:80',
    'wss://cdn.test',
  ],
  ...['https://cdn.test/lib/', 'http://cdn.test:8080/lib.js'],
];
const broad = ['*', 'https:', 'http:', 'https://*', 'http://*', 'ftp:', 'https://*.*'];
const schemes = ['data:', 'blob:', 'filesystem:', 'wss:', 'ws:'];
const keywords = [
  ...[
    "'self'",
    "'none'",
    "'unsafe-inline'",
    "'unsafe-eval'",
    "'strict-dynamic'",
    "'unsafe-hashes'",
    "'wasm-unsafe-eval'",
  ],
  ...["'report-sample'", `'nonce-${nonce}'`, `'${hash}'`, "'SELF'", "'nonce-{{nonce}}'", 'self', "'unsafe_inline'"],
];
const fetchDirectives = [
  ...[
    'default-src',
    'default-src',
    'script-src',
    'script-src',
    'script-src-elem',
    'script-src-attr',
    'style-src',
    'object-src',
  ],
  ...['img-src', 'font-src', 'connect-src', 'frame-src', 'child-src', 'worker-src', 'media-src', 'manifest-src'],
  ...['form-action', 'base-uri', 'frame-ancestors'],
];
const others = [
  ...[
    'upgrade-insecure-requests',
    'block-all-mixed-content',
    'report-uri /csp',
    'report-uri http://reports.test/csp',
    'report-to a',
  ],
  ...["require-trusted-types-for 'script'", 'trusted-types a', 'scrpt-src x'],
];
const options = [
  ...[
    'DENY',
    'SAMEORIGIN',
    'sameorigin, SAMEORIGIN',
    'DENY, SAMEORIGIN',
    'ALLOWALL',
    'x',
    'ALLOW-FROM https://partner.test/',
  ],
  ...[
    'ALLOW-FROM http://partner.test',
    'ALLOW-FROM partner.test',
    'SAMEORIGIN, ALLOW-FROM https://partner.test',
    'ALLOW-FROM *',
    'SAMEORIGIN; ALLOW-FROM https://partner.test',
  ],
];

/** Half of the lists are short, as those of real sites, and consist of what grades badly. */
export function randomResponses(self: string, schemesOfSite: readonly string[]): fc.Arbitrary<GradedResponse> {
  const source = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...keywords) },
    { weight: 2, arbitrary: fc.constantFrom(...broad) },
    { weight: 2, arbitrary: fc.constantFrom(...hosts(self)) },
    { weight: 1, arbitrary: fc.constantFrom(...schemes) },
  );
  const fetching = fc
    .tuple(fc.constantFrom(...fetchDirectives), fc.array(source, { maxLength: 5 }))
    .map(([name, sources]) => [name, ...sources].join(' '));
  const directive = fc.oneof({ weight: 8, arbitrary: fetching }, { weight: 1, arbitrary: fc.constantFrom(...others) });
  const policy = fc.array(directive, { minLength: 1, maxLength: 5 }).map((directives) => directives.join('; '));
  const several = fc.array(policy, { minLength: 2, maxLength: 3 }).map((policies) => policies.join(', '));
  const header = fc.option(fc.oneof({ weight: 4, arbitrary: policy }, { weight: 1, arbitrary: several }), {
    freq: 6,
    nil: undefined,
  });
  return fc
    .record({
      scheme: fc.constantFrom(...schemesOfSite),
      'content-security-policy': header,
      'content-security-policy-report-only': fc.option(policy, { freq: 2, nil: undefined }),
      'x-frame-options': fc.option(fc.constantFrom(...options), { freq: 2, nil: undefined }),
    })
    .map(({ scheme, ...headers }) => {
      const sent = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
      return responseOf({ url: `${scheme}://${self}/`, headers: Object.fromEntries(sent) });
    });
}

/** The headers with a suggestion in place of those of the same names, and the site's nonce in its place. */
export function applyTo(headers: Readonly<Record<string, string>>, suggestion: string): Record<string, string> {
  const changed = { ...headers };
  for (const line of suggestion.split('\n')) {
    const [, name = '', value = ''] = /^([A-Za-z-]+): (.+)$/.exec(line) ?? assert.fail(line);
    changed[name.toLowerCase()] = value.replaceAll("'nonce-…'", `'nonce-${nonce}'`);
  }
  return changed;
}
