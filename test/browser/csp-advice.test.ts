/** In Chromium, whatever ran of a site's own origin before the advice on its headers runs after it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Page } from 'playwright-core';
import { grade } from '../../src/lookups/headers-check/grade.ts';
import type { GradedResponse } from '../../src/lookups/headers-check/schema.ts';
import {
  parsePolicies,
  permitsEval,
  permitsFraming,
  permitsInline,
  permitsRequest,
} from '../lookups/headers-check/policy/csp-evaluator.ts';
import { applyTo, nonce, randomResponses } from '../lookups/headers-check/policy/random-policies.ts';
import { closePage, openBlank, skipWithoutChromium } from './chromium.ts';
import { sharedBrowser } from './shared-browser.ts';

const origin = 'https://a.example';
const skip = skipWithoutChromium();

/** A script that tells that it runs, and whether it may call eval. */
const script = (name: string): string =>
  `window.${name} = true; try { window.eval('window.evaluated = true') } catch {}`;

const html = `<!doctype html><title>site</title><link rel="stylesheet" href="/own.css">
<script>${script('inline')}</script><script nonce="${nonce}">${script('withNonce')}</script>
<script src="/own.js"></script><script src="/js/app.js"></script>
<img id="image" src="/own.png" alt=""><iframe src="/frame"></iframe>
<p id="handler" onclick="window.handler = true"></p>`;
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const files: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
  '/': ['text/html', html],
  '/frame': ['text/html', '<p id="framed">'],
  '/own.js': ['text/javascript', script('own')],
  '/js/app.js': ['text/javascript', script('app')],
  '/own.css': ['text/css', '#handler { width: 7px }'],
  '/own.png': ['image/png', Buffer.from(pixel, 'base64')],
  '/data': ['text/plain', 'data'],
};

/** Evaluated in the page: what happened there. */
const look = `(async () => {
  const element = document.getElementById('handler');
  element.click();
  const names = ['inline', 'withNonce', 'own', 'app', 'handler', 'evaluated'];
  return {
    ...Object.fromEntries(names.map((name) => [name, window[name] === true])),
    style: element.clientWidth === 7,
    image: document.getElementById('image').naturalWidth > 0,
    fetch: await fetch('/data').then(() => true, () => false),
  };
})()`;

/** The names of what runs in the page of a site with these headers. */
async function whatRuns(page: Page, headers: Readonly<Record<string, string>>): Promise<Set<string>> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.route('**/*', async (route) => {
    const [contentType, body] = files[new URL(route.request().url()).pathname] ?? [];
    if (contentType === undefined || body === undefined) return route.abort();
    const own = contentType === 'text/html' ? headers : {};
    await route.fulfill({ headers: { ...own, 'content-type': contentType }, body });
  });
  await page.goto(`${origin}/`);
  const found: Record<string, boolean> = await page.evaluate(look);
  const frame = page.frames()[1];
  const framed = frame?.url() === `${origin}/frame` && (await frame.locator('#framed').count()) === 1;
  return new Set(Object.entries({ ...found, framed }).flatMap(([name, isRunning]) => (isRunning ? [name] : [])));
}

/** The same by the specification. */
function whatShouldRun(headers: Readonly<Record<string, string>>): Set<string> {
  const policies = parsePolicies(headers['content-security-policy']);
  const self = `${origin}/`;
  const permits = (kind: Parameters<typeof permitsRequest>[2]['kind'], path: string) =>
    permitsRequest(policies, self, { kind, url: origin + path });
  const scripts = {
    inline: permitsInline(policies, 'script'),
    withNonce: permitsInline(policies, 'script', nonce),
    own: permits('script', '/own.js'),
    app: permits('script', '/js/app.js'),
  };
  const expected = {
    ...scripts,
    evaluated: Object.values(scripts).includes(true) && permitsEval(policies),
    handler: permitsInline(policies, 'handler'),
    style: permits('style', '/own.css'),
    image: permits('image', '/own.png'),
    fetch: permits('connect', '/data'),
    framed: permits('frame', '/frame') && permitsFraming(policies, headers['x-frame-options'], self, self),
  };
  return new Set(Object.entries(expected).flatMap(([name, isRunning]) => (isRunning ? [name] : [])));
}

const seed = 1;

/** Sites for which other policies are suggested, and some for which only X-Frame-Options is. */
function sites(): (readonly [GradedResponse, string])[] {
  const advised = fc.sample(randomResponses('a.example', ['https']), { numRuns: 2_000, seed }).flatMap((response) => {
    // Trusted types, which the site would have to use, block eval. Unlike the specification, Chromium does not let ws: permit https:.
    if (/trusted-types|\bwss?:(?!\/)/.test(response.headers['content-security-policy'] ?? '')) return [];
    const lines = grade(response).checks.flatMap(({ id, suggestion }) =>
      ['content-security-policy', 'x-frame-options'].includes(id) ? (suggestion ?? []) : [],
    );
    return lines.length === 0 ? [] : [[response, [...new Set(lines)].join('\n')] as const];
  });
  const [enforced, others] = [true, false].map((isEnforced) =>
    advised.filter(([, lines]) => /^Content-Security-Policy:/m.test(lines) === isEnforced),
  );
  return [...(enforced ?? []).slice(0, 45), ...(others ?? []).slice(0, 15)];
}

test(`what runs of the site itself runs after the advice, for 60 sites (seed ${seed})`, { skip }, async () => {
  const tried = sites();
  assert.equal(tried.length, 60);
  let running = 0;
  const page = await openBlank(await sharedBrowser(), { baseURL: origin });
  for (const [{ headers }, lines] of tried) {
    const changed = applyTo(headers, lines);
    const ranBefore = await whatRuns(page, headers);
    const ranAfter = await whatRuns(page, changed);
    const harmed = [...ranBefore].filter((name) => !ranAfter.has(name));
    assert.deepEqual(harmed, [], `${JSON.stringify(headers)} becomes ${JSON.stringify(changed)}`);
    for (const [sent, ran] of [
      [headers, ranBefore],
      [changed, ranAfter],
    ] as const)
      assert.deepEqual(
        [...ran].sort(),
        [...whatShouldRun(sent)].sort(),
        `the evaluator of the tests: ${JSON.stringify(sent)}`,
      );
    running += ranBefore.size;
  }
  await closePage(page);
  // Sites in which nothing runs would prove nothing.
  assert.ok(running > 3 * tried.length, String(running));
});
