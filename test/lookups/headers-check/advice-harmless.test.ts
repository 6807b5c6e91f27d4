/** Advice never harms: what the response permits from the site's own origin stays permitted, and the grade does not fall. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grade } from '../../../src/lookups/headers-check/grade.ts';
import type { GradedResponse } from '../../../src/lookups/headers-check/schema.ts';
import { check } from '../../random.ts';
import { responseOf } from './graded-response.ts';
import {
  inlineKinds,
  parsePolicies,
  permitsEval,
  permitsFraming,
  permitsInline,
  permitsRequest,
  requestKinds,
} from './policy/csp-evaluator.ts';
import { applyTo, nonce, randomResponses } from './policy/random-policies.ts';

/** What a page may do with content of its own origin and of itself, one name for each. */
function permittedBy(self: string, headers: Readonly<Record<string, string>>): Set<string> {
  const policies = parsePolicies(headers['content-security-policy']);
  const { origin } = new URL(self);
  const permitted = new Map<string, boolean>();
  for (const path of ['/', '/js/app.js', '/other/x']) {
    for (const kind of requestKinds) {
      permitted.set(`${kind} ${path}`, permitsRequest(policies, self, { kind, url: origin + path }));
      permitted.set(
        `${kind} ${path} with a nonce`,
        permitsRequest(policies, self, { kind, url: origin + path, nonce }),
      );
    }
  }
  // A plugin in a data: URL has an origin of its own.
  for (const url of [`blob:${origin}/a`, 'data:text/plain,x'])
    for (const kind of requestKinds.filter((kind) => kind !== 'object' || url.startsWith('blob:')))
      permitted.set(`${kind} ${url}`, permitsRequest(policies, self, { kind, url }));
  permitted.set(
    'WebSocket',
    permitsRequest(policies, self, { kind: 'connect', url: `${origin.replace('http', 'ws')}/` }),
  );
  for (const kind of inlineKinds) {
    permitted.set(`inline ${kind}`, permitsInline(policies, kind));
    permitted.set(`inline ${kind} with a nonce`, permitsInline(policies, kind, nonce));
  }
  permitted.set('eval', permitsEval(policies));
  permitted.set('framing by itself', permitsFraming(policies, headers['x-frame-options'], self, self));
  return new Set([...permitted].filter(([, isPermitted]) => isPermitted).map(([name]) => name));
}

interface Advised {
  /** Whether the check of the policy fails. */
  readonly isUnsafe: boolean;
  /** Whether a policy that browsers enforce is suggested. */
  readonly isEnforced: boolean;
}

/** Fails if a suggestion harms the site, alone or together with all others. */
function assertHarmless(response: GradedResponse): Advised {
  const before = permittedBy(response.finalUrl, response.headers);
  const { score, checks } = grade(response);
  const lines = checks.flatMap(({ id, suggestion }) => (id === 'redirection' ? [] : (suggestion ?? [])));
  const policies = new Set(lines.filter((line) => line.startsWith('Content-Security-Policy:')));
  assert.ok(policies.size <= 1, `contradicting policies: ${[...policies].join(' | ')}`);
  // Other headers do not restrict content.
  const restricting = lines.filter((line) => /^(?:Content-Security|X-Frame)/.test(line));
  for (const text of new Set([...restricting, lines.join('\n')])) {
    const headers = applyTo(response.headers, text);
    const after = permittedBy(response.finalUrl, headers);
    const harmed = [...before].filter((name) => !after.has(name));
    const change = `${JSON.stringify(response.headers)} becomes ${JSON.stringify(headers)}`;
    assert.deepEqual(harmed, [], change);
    const graded = grade({ ...response, headers });
    assert.ok(graded.score >= score, `${score} becomes ${graded.score}: ${change}`);
  }
  return { isUnsafe: checks[0]?.pass === false, isEnforced: policies.size > 0 };
}

const reported = [
  [{ 'content-security-policy': "default-src * data: blob: 'unsafe-inline' 'unsafe-eval'" }],
  [{ 'x-frame-options': 'SAMEORIGIN' }],
  [{ 'x-frame-options': 'ALLOW-FROM https://b.example/' }],
  [{ 'x-frame-options': 'ALLOW-FROM http://b.example/', 'content-security-policy': "default-src 'self'" }],
  [{ 'x-frame-options': 'ALLOW-FROM https://b.example/', 'content-security-policy': "default-src 'self', img-src *" }],
] as const;

test('advice does not harm the sites of reports', () => {
  for (const [headers] of reported) assertHarmless(responseOf({ headers }));
});

test('advice harms none of the random sites, and often suggests a policy that browsers enforce', () => {
  const advised: Advised[] = [];
  const sent = new Set<string>();
  check(10_000, randomResponses('a.example', ['https', 'https', 'https', 'http']), (response) => {
    for (const name of Object.keys(response.headers)) sent.add(name);
    advised.push(assertHarmless(response));
  });
  assert.equal(sent.size, 3, 'policies, policies that only report, and X-Frame-Options');
  const unsafe = advised.filter(({ isUnsafe }) => isUnsafe).length;
  const enforced = advised.filter(({ isEnforced }) => isEnforced).length;
  assert.ok(
    unsafe > advised.length / 2 && enforced > advised.length / 20,
    `${unsafe}, ${enforced} of ${advised.length}`,
  );
});
