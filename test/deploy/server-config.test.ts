/** The configuration that a header check suggests, in nginx and Caddy before an application that sends such headers itself. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { combinedConfigOf } from '../../src/http/page/lookup/server-config.ts';
import { grade } from '../../src/lookups/headers-check/grade.ts';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { type DeployedProxy, isInstalled, proxies, startProxy } from '../acceptance/proxies.ts';
import { responseOf } from '../lookups/headers-check/graded-response.ts';

/** What an application sends: each header is graded worse than it could be. */
const headers: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'self' http:",
  'cross-origin-opener-policy': 'unsafe-none',
  'cross-origin-resource-policy': 'x',
  'referrer-policy': 'origin',
  'strict-transport-security': 'max-age=100; includeSubDomains',
  'x-content-type-options': 'x',
  'x-frame-options': 'x',
};
const setCookies = ['sid=1; Path=/app; Domain=a.example; Max-Age=3600', 'b=2; Secure; SameSite=None'];

/** The blocks of a configuration: that for a place, which its first line names, or that for none. */
function blockOf(config: string, place: string): string {
  const blocks = config.split('\n\n').filter((text) => (/^# (in .*)/.exec(text)?.[1] ?? '') === place);
  return blocks.join('\n');
}

type Configure = (config: string, ports: readonly number[], upstream: number) => string;

const configure = {
  nginx: (config, ports, upstream) => `events {}
http {
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  server {
    ${ports.map((port) => `listen 127.0.0.1:${port};`).join(' ')}
    ${blockOf(config, '')}
    location / {
      proxy_pass http://127.0.0.1:${upstream};
      ${blockOf(config, 'in the location with proxy_pass')}
    }
  }
}`,
  caddy: (config, ports, upstream) => `{
  admin off
  auto_https off
}
${ports.map((port) => `http://127.0.0.1:${port}`).join(', ')} {
  ${blockOf(config, '')}
  reverse_proxy 127.0.0.1:${upstream} {
    ${blockOf(config, 'in reverse_proxy')}
  }
}`,
} as const satisfies Record<string, Configure>;

/** What the site sends through a proxy with this configuration. */
async function fetchThrough(
  name: keyof typeof configure,
  config: string,
  context: TestContext,
): Promise<IncomingMessage> {
  const application = createServer((_, response) =>
    response.writeHead(200, { ...headers, 'set-cookie': setCookies }).end(),
  );
  await once(application.listen(0, '127.0.0.1'), 'listening');
  context.after(() => application.close());
  const { port } = application.address() as AddressInfo;
  const proxy: DeployedProxy = {
    ...proxies[name],
    edits: ({ http, https }) => [[/^.+$/s, configure[name](config, [http, https], port).replaceAll('$', '$$$$')]],
  };
  const front = await startProxy(proxy, { http: null, https: null }, await createLocalhostCertificate());
  context.after(async () => {
    await front.close();
    front.remove();
  });
  const [response] = (await once(get(front.http), 'response')) as [IncomingMessage];
  response.resume();
  return response;
}

for (const [name, label] of [
  ['nginx', 'nginx'],
  ['caddy', 'Caddy'],
] as const)
  test(`with the suggested configuration of ${label}, each header is sent once, and no check fails`, {
    skip: !isInstalled(name) && !process.env.CI && `needs ${name}`,
  }, async (context) => {
    const { checks } = grade(responseOf({ headers, setCookies }));
    const suggestions = checks.flatMap(({ suggestion }) => suggestion ?? []);
    const config = combinedConfigOf(suggestions, new Set(Object.keys(headers)))[label] ?? assert.fail();
    const { rawHeaders } = await fetchThrough(name, config, context);
    const fields = Object.groupBy(
      rawHeaders.flatMap((text, at) =>
        at % 2 === 0 ? [{ name: text.toLowerCase(), value: rawHeaders[at + 1] ?? '' }] : [],
      ),
      ({ name }) => name,
    );
    for (const line of suggestions.filter((each) => !each.startsWith('Set-Cookie'))) {
      const [, field = '', value] = /^([\w-]+): (.*)$/.exec(line) ?? [];
      assert.deepEqual(
        fields[field.toLowerCase()]?.map((each) => each.value),
        [value],
        field,
      );
    }
    const cookies = (fields['set-cookie'] ?? []).map(({ value }) => value);
    assert.match(
      cookies[0] ?? '',
      /^sid=1; Path=\/app; Domain=a\.example; Max-Age=3600; Secure; HttpOnly; SameSite=lax$/i,
    );
    const received = Object.fromEntries(
      Object.entries(fields).map(([field, all = []]) => [field, all.map(({ value }) => value).join(', ')]),
    );
    const again = grade(responseOf({ headers: received, setCookies: cookies }));
    assert.deepEqual(
      again.checks.filter(({ pass }) => !pass),
      [],
    );
  });
