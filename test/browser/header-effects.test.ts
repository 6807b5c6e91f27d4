/** In Chromium, headers have the effects that the header check states. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { grade } from '../../src/lookups/headers-check/grade.ts';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { responseOf } from '../lookups/headers-check/graded-response.ts';
import { openBlank, skipWithoutChromium } from './chromium.ts';
import { sharedBrowser } from './shared-browser.ts';

const skip = skipWithoutChromium();

/** Each host responds to every request with these headers and this page. */
interface Site {
  readonly headers?: Readonly<Record<string, string>>;
  readonly html?: string;
}

type Scheme = 'http' | 'https';

/** `originOf`: the origin of a host, after its site is set. */
async function openSites(context: TestContext) {
  const sites = new Map<string, Site>();
  const respond: RequestListener = ({ headers: { host = '' } }, response) => {
    const { headers = {}, html = '' } = sites.get(host.replace(/:\d+$/, '')) ?? {};
    response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(html);
  };
  const servers: Readonly<Record<Scheme, Server>> = {
    http: createPlainServer(respond),
    https: createServer(await createLocalhostCertificate(), respond),
  };
  for (const server of Object.values(servers)) {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    context.after(() => server.close());
  }
  const browser = await sharedBrowser(['--host-resolver-rules=MAP *.example 127.0.0.1']);
  const page = await openBlank(browser, { ignoreHTTPSErrors: true });
  context.after(() => page.context().close());
  const originOf = (scheme: Scheme, host: string, site: Site = {}): string => {
    sites.set(host, site);
    return `${scheme}://${host}:${(servers[scheme].address() as AddressInfo).port}`;
  };
  return { page, originOf };
}

/** Whether frames of another origin may use a feature: without an allow attribute, and with one. */
const permissionsIn = (page: Page, feature: string): Promise<boolean[]> =>
  Promise.all(
    page
      .frames()
      .slice(1)
      .map((frame) => frame.evaluate(`document.featurePolicy.allowsFeature('${feature}')`)),
  ) as Promise<boolean[]>;

test('a feature with * that the notes name is as restricted as without Permissions-Policy', {
  skip,
}, async (context) => {
  const { page, originOf } = await openSites(context);
  const frame = originOf('https', 'b.example');
  const features = ['camera', 'geolocation', 'fullscreen', 'gamepad', 'picture-in-picture', 'usb', 'ch-ua-model'];
  for (const feature of features) {
    const html = `<iframe src="${frame}/"></iframe><iframe src="${frame}/" allow="${feature}"></iframe>`;
    const permissionsWith = async (headers: Readonly<Record<string, string>>) => {
      await page.goto(`${originOf('https', 'a.example', { headers, html })}/`);
      return permissionsIn(page, feature);
    };
    const headers = { 'permissions-policy': `${feature}=*` };
    const isUnrestricted = String(await permissionsWith(headers)) === String(await permissionsWith({}));
    const note = grade(responseOf({ headers })).notes.find(({ id }) => id === 'permissions-policy-any');
    assert.equal(note?.message.includes(`if it did not name them: ${feature}.`) ?? false, isUnrestricted, feature);
  }
});

test('only over HTTPS, Cross-Origin-Opener-Policy and -Embedder-Policy have the effects of their checks', {
  skip,
}, async (context) => {
  const { page, originOf } = await openSites(context);
  for (const scheme of ['http', 'https'] as const) {
    const image = originOf(scheme, 'c.example', {
      headers: { 'content-type': 'image/svg+xml' },
      html: '<svg xmlns="http://www.w3.org/2000/svg" width="5" height="5"/>',
    });
    const headers = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
    const site = originOf(scheme, 'a.example', { headers, html: `<img id="image" src="${image}/">` });
    await page.goto(`${originOf(scheme, 'b.example')}/`);
    const opening = page.waitForEvent('popup');
    await page.evaluate(`void open('${site}/')`);
    const popup = await opening;
    await popup.waitForLoadState();
    const effects = await popup.evaluate("[opener === null, document.getElementById('image').naturalWidth === 0]");
    await popup.close();
    const { checks } = grade(responseOf({ url: `${scheme}://a.example/`, headers }));
    const stated = ['opener', 'embedder'].map(
      (kind) => !checks.find(({ id }) => id === `cross-origin-${kind}-policy`)?.description.includes('ignore it'),
    );
    assert.deepEqual(effects, stated, scheme);
  }
});

test('what other sites may embed and read, they may also embed with the suggested Cross-Origin-Resource-Policy', {
  skip,
}, async (context) => {
  const { page, originOf } = await openSites(context);
  const sent = { 'access-control-allow-origin': '*' };
  const { checks } = grade(responseOf({ headers: sent }));
  const line = checks.find(({ id }) => id === 'cross-origin-resource-policy')?.suggestion ?? '';
  for (const [value, isShown] of [
    ['same-origin', false],
    [line.replace(/^.*: /, ''), true],
  ] as const) {
    const image = originOf('https', 'c.example', {
      headers: { ...sent, 'content-type': 'image/svg+xml', 'cross-origin-resource-policy': value },
      html: '<svg xmlns="http://www.w3.org/2000/svg" width="5" height="5"/>',
    });
    await page.goto(`${originOf('https', 'a.example', { html: `<img id="image" src="${image}/${value}">` })}/`);
    assert.equal(await page.evaluate("document.getElementById('image').naturalWidth > 0"), isShown, value);
  }
});
