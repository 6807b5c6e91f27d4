/** The texts of a grade state what browsers enforce of a Content-Security-Policy if the HTTP Observatory reads something else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grade } from '../../../../src/lookups/headers-check/grade.ts';
import { type Outcome, outcomes } from '../../../../src/lookups/headers-check/outcomes.ts';
import { enforcedPolicy } from '../../../../src/lookups/headers-check/policy/enforced-policy.ts';
import { responseOf } from '../graded-response.ts';

const combine = (header: string): Record<string, string> =>
  Object.fromEntries([...(enforcedPolicy(header) ?? [])].map(([name, sources]) => [name, [...sources].join(' ')]));

function graded(header: string, others: Record<string, string> = {}) {
  const { checks, notes } = grade(responseOf({ headers: { 'content-security-policy': header, ...others } }));
  const find = (id: string) => checks.find((check) => check.id === id) ?? assert.fail(id);
  return { csp: find('content-security-policy'), framing: find('x-frame-options'), notes: notes.map(({ id }) => id) };
}

/** Grades as the first outcome, and describes the second one as that of browsers, with this difference. */
function assertDescribed(header: string, [result, enforced]: readonly [Outcome, Outcome], difference: string): void {
  const { csp } = graded(header);
  assert.equal(csp.result, result, header);
  assert.equal(csp.scoreImpact, outcomes[result].points, header);
  assert.equal(
    csp.description,
    `Unlike the HTTP Observatory, browsers ${difference}. ${outcomes[enforced].description}`,
    header,
  );
}

const safe = 'csp-implemented-with-no-unsafe-default-src-none';
const safeSelf = 'csp-implemented-with-no-unsafe';
const inline = 'csp-implemented-with-unsafe-inline';

test('combines policies as browsers do: each one by itself, with the directives that replace absent ones', () => {
  for (const [header, expected] of [
    ["default-src 'self', script-src *", { 'default-src': "'self'", 'script-src': "'self'" }],
    ["frame-ancestors 'self', default-src *", { 'frame-ancestors': "'self'", 'default-src': '*' }],
    ["img-src a.example, script-src 'self'", { 'img-src': 'a.example', 'script-src': "'self'" }],
    [
      "script-src 'self', script-src-elem https://b.example, ,",
      { 'script-src': "'self'", 'script-src-elem': "'none'" },
    ],
    ["child-src https:, frame-src 'self'", { 'child-src': 'https:', 'frame-src': "'self'" }],
    ["script-src 'nonce-abc' 'unsafe-inline', script-src 'unsafe-inline'", { 'script-src': "'none'" }],
    ['script-src https:, script-src https://*', { 'script-src': 'https: https://*' }],
    ['img-src *, img-src data: b.example:8080', { 'img-src': 'b.example:8080' }],
    ['img-src http:, img-src https: wss://b.example', { 'img-src': 'https:' }],
    ['img-src b.example/x/, img-src b.example/x/y b.example/z', { 'img-src': 'b.example/x/y' }],
    ["script-src 'self'; script-src *", { 'script-src': "'self'" }],
    ["script-src 'strict-dynamic' 'nonce-abc' https: 'self'", { 'script-src': "'strict-dynamic' 'nonce-abc'" }],
  ] as const)
    assert.deepEqual(combine(header), expected, header);
});

test('describes what browsers do with several policies', () => {
  const difference = 'apply each policy by itself';
  assertDescribed(
    "frame-ancestors 'self', default-src https: 'unsafe-inline' 'unsafe-eval' data: blob:",
    [safe, inline],
    difference,
  );
  assertDescribed(
    "default-src 'none'; script-src 'nonce-abcdefgh' 'unsafe-inline', script-src 'unsafe-inline'",
    [inline, safe],
    difference,
  );
  const { csp, notes } = graded("frame-ancestors 'self', default-src https: 'unsafe-inline'");
  assert.ok(csp.pass && csp.recommendation?.startsWith(outcomes[inline].recommendation ?? '-'));
  assert.equal(
    csp.suggestion,
    "Content-Security-Policy-Report-Only: frame-ancestors 'self', default-src https: 'unsafe-inline'; script-src 'self'; object-src 'self'",
  );
  assert.ok(notes.includes('csp-inline-scripts'), String(notes));
  assert.ok(graded("default-src 'self', frame-ancestors *").notes.includes('frame-ancestors-any'));
  assert.equal(graded("default-src 'self', script-src *").csp.description, outcomes[safeSelf].description);
});

test('describes what browsers do with nonces and hashes that are not base64', () => {
  const difference = 'ignore nonces and hashes that are not base64';
  for (const nonce of ["'nonce-{{nonce}}'", "'nonce-'", "'nonce-a", "'sha256-a=b'", "'nonce-<%= x'"]) {
    const header = `default-src 'none'; script-src 'self' 'unsafe-inline' ${nonce}`;
    assertDescribed(header, [safe, inline], difference);
    const { csp, notes } = graded(header);
    assert.deepEqual(
      notes.filter((id) => /inline|nonce/.test(id)),
      ['csp-invalid-nonce', 'csp-inline-scripts'],
      nonce,
    );
    assert.ok(
      csp.suggestion?.startsWith("Content-Security-Policy-Report-Only: default-src 'none'; script-src 'self'; "),
    );
  }
  for (const nonce of ["'nonce-R4nd+/-_om=='", "'SHA256-abcdefgh='"]) {
    const { csp, notes } = graded(`default-src 'none'; script-src 'self' 'unsafe-inline' ${nonce}`);
    assert.equal(csp.description, outcomes[safe].description, nonce);
    assert.ok(!notes.some((id) => /inline|invalid-nonce/.test(id)), String(notes));
  }
});

test('describes directives of script elements and attributes, and suggests safe ones', () => {
  for (const [header, suggestion] of [
    ["default-src 'none'; script-src-elem 'unsafe-inline'", "-Report-Only: default-src 'none'; script-src-elem 'self'"],
    ["default-src 'none'; script-src-elem https: b.example", ": default-src 'none'; script-src-elem 'self' b.example"],
    [
      "default-src 'none'; script-src 'nonce-abcdefgh'; script-src-attr 'unsafe-inline'",
      "-Report-Only: default-src 'none'; script-src 'nonce-…'; script-src-attr 'none'",
    ],
  ] as const) {
    assertDescribed(header, [safe, inline], `apply ${/script-src-(?:elem|attr)/.exec(header)?.[0]}`);
    assert.equal(graded(header).csp.suggestion, `Content-Security-Policy${suggestion}`);
  }
  assertDescribed(
    "default-src 'none'; script-src 'unsafe-inline'; script-src-elem 'self'; script-src-attr 'none'",
    [inline, safe],
    'apply script-src-elem, script-src-attr',
  );
  assertDescribed(
    "default-src 'none'; style-src-elem 'unsafe-inline'",
    [safe, 'csp-implemented-with-unsafe-inline-in-style-src-only'],
    'apply style-src-elem',
  );
  const eventHandlers = "default-src 'none'; script-src-attr 'self'; script-src-elem 'self' 'unsafe-eval'";
  assert.equal(graded(eventHandlers).csp.description, outcomes[safe].description);
});

test('names why a policy is invalid for the grade, and what browsers do with it', () => {
  for (const [header, description] of [
    ["default-src 'self'; script-src 'self'; script-src x", /^script-src occurs twice: browsers honor the first, /],
    ["default-src 'none',", /^A comma too many makes an empty policy: browsers skip it, /],
    ["default-src 'none', x", /^A policy has fewer than 6 characters: browsers apply what they know/],
    [
      "default-src 'none'; script-src 'strict-dynamic'",
      /^'strict-dynamic' has no nonce .*: browsers ignore all hosts of scripts /,
    ],
    ['img-src https://a.example/%zz, img-src https://a.example/%zz', /^A path contains an invalid escape: browsers/],
    ['', /^The header contains no policy, so it restricts nothing\.$/],
    [' , ;', /^The header contains no policy, so it restricts nothing\.$/],
  ] as const) {
    const { csp } = graded(header);
    assert.equal(csp.result, 'csp-header-invalid', header);
    assert.match(csp.description, description);
  }
});

test('states that browsers obey frame-ancestors of a policy that the grade does not read', () => {
  const invalid = "script-src 'self'; script-src 'self'; frame-ancestors 'none'";
  for (const value of ['', 'x', 'DENY', 'ALLOW-FROM https://b.example/']) {
    const { framing } = graded(invalid, { 'x-frame-options': value });
    assert.match(framing.description, /^Browsers obey frame-ancestors .* because the policy is invalid\.$/, value);
    assert.doesNotMatch(graded("script-src 'self',", { 'x-frame-options': value }).framing.description, /obey/);
  }
  // Both checks suggest the same policy, with the frame-ancestors that browsers obey.
  const { csp, framing } = graded(invalid, { 'x-frame-options': 'ALLOW-FROM https://b.example/' });
  assert.equal(
    framing.suggestion,
    "Content-Security-Policy: script-src 'self'; frame-ancestors 'none'; object-src 'self' blob:",
  );
  assert.equal(csp.suggestion, framing.suggestion);
  for (const [sources, suggestion] of [
    ["'none'", 'X-Frame-Options: DENY'],
    ["'self'", 'X-Frame-Options: SAMEORIGIN'],
    ['https://b.example', null],
  ] as const)
    assert.equal(graded(`frame-ancestors ${sources},`).framing.suggestion, suggestion);
});
