/** IANA's bootstrap files and the RDAP servers: one folder of fixtures per host, and one host per fault. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { faults, redirect, respondWith, send } from './behaviors.ts';
import type { Behavior, Site } from './site.ts';

interface Bootstrap {
  readonly services: readonly (readonly [readonly string[], readonly string[]])[];
}

const iana = 'data.iana.org';
const rdapJson = { 'content-type': 'application/rdap+json' };
const domain = (name: string) => JSON.stringify({ objectClassName: 'domain', ldhName: name });
/** Responds with the record of the domain in the path. */
const found: Behavior = {
  http: (request, response) => send(response, 200, rdapJson, domain(request.url?.split('/').at(-1) ?? '')),
};

/** Servers with a fault; `<name>.rdap.test` serves the top-level domain `rdap-<name>`. */
const faultSites: readonly (Site & { readonly scheme?: 'http' })[] = [
  ...Object.entries({
    ...faults,
    found,
    'redirect-listed': redirect('https://found.rdap.test/domain/example.rdap-redirect-listed'),
    'redirect-other': redirect('https://found.rdap.test/domain/afnic.fr'),
    'redirect-unlisted': redirect('https://bare.test/domain/example.rdap'),
    'redirect-twice': respondWith(302, {
      location: ['https://found.rdap.test/domain/example.rdap', 'https://found.rdap.test/domain/other.rdap'],
    }),
    'redirect-http': redirect('http://found.rdap.test/domain/example.rdap'),
    'rdap-404': respondWith(
      404,
      rdapJson,
      JSON.stringify({ errorCode: 404, title: 'Not Found', description: ['No.'] }),
    ),
    'json-type': respondWith(200, { 'content-type': 'application/json' }, domain('example.rdap-json-type')),
    'other-object': respondWith(200, rdapJson, domain('afnic.fr')),
    'other-class': respondWith(200, rdapJson, JSON.stringify({ objectClassName: 'entity', handle: 'X' })),
    deep: respondWith(200, rdapJson, `${'['.repeat(400_000)}${']'.repeat(400_000)}`),
    gzip: respondWith(200, { ...rdapJson, 'content-encoding': 'gzip' }, gzipSync(domain('example.rdap-gzip'))),
    'gzip-bomb': respondWith(200, { ...rdapJson, 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(10_000_000))),
  } satisfies Record<string, Behavior>).map(([name, behavior]) => ({ host: `${name}.rdap.test`, behavior })),
  { host: 'expired.rdap.test', behavior: found, certificate: 'expired' },
  { host: 'self-signed.rdap.test', behavior: found, certificate: 'self-signed' },
  { host: 'other-name.rdap.test', behavior: found, certificate: 'other-name' },
  { host: 'http-only.rdap.test', behavior: found, ports: [80], scheme: 'http' },
  { host: 'private.rdap.test', behavior: null, addresses: ['10.0.0.5'] },
  { host: 'refused.rdap.test', behavior: null },
  { host: 'no-connection.rdap.test', behavior: null, addresses: ['45.0.0.2'] },
];

/** The sites of a folder `<host>/<path>.json`; without the folder, only IANA's and the faulty hosts. */
export function rdapSites(fixtures: string): readonly Site[] {
  const hosts = existsSync(fixtures)
    ? readdirSync(fixtures, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    : [];
  return [
    { host: iana, addresses: ['192.0.43.8'], behavior: bootstrapServer(join(fixtures, iana)) },
    ...hosts
      .map(({ name }) => name)
      .filter((host) => host !== iana)
      .map((host) => ({
        host,
        ports: [80, 443, 9000],
        behavior: fixtureServer(join(fixtures, host)),
      })),
    ...faultSites,
  ];
}

function fixtureServer(folder: string): Behavior {
  return {
    http: (request, response) => {
      const file = fileIn(folder, request.url ?? '/');
      if (file === null) send(response, 404, rdapJson, '');
      else send(response, 200, rdapJson, readFileSync(file));
    },
  };
}

/** The file for a path, with or without `.json` in the path. */
function fileIn(folder: string, url: string): string | null {
  const { pathname } = new URL(url, 'http://fixture');
  const path = join(folder, decodeURIComponent(pathname));
  if (path.endsWith('.json') && existsSync(path)) return path;
  return existsSync(`${path}.json`) ? `${path}.json` : null;
}

function bootstrapServer(folder: string): Behavior {
  return {
    http: (request, response) => {
      const body = bootstrapFile(folder, request.url ?? '/');
      if (body === null) return send(response, 404, { 'content-type': 'text/html' }, '');
      const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
      const headers = {
        etag,
        'content-type': 'application/json',
        'cache-control': 'max-age=86400',
        'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
        'access-control-allow-origin': '*',
      };
      if (request.headers['if-none-match'] === etag) send(response, 304, headers, '');
      else send(response, 200, headers, body);
    },
  };
}

/** The fixture, or an empty file if there is none; dns.json also lists the top-level domains of the faulty servers. */
function bootstrapFile(folder: string, url: string): string | null {
  if (!/^\/rdap\/(?:dns|ipv4|ipv6|asn)\.json$/.test(url)) return null;
  const file = fileIn(folder, url);
  const own: Bootstrap =
    file === null
      ? { version: '1.0', publication: '2026-01-01T00:00:00Z', services: [] }
      : JSON.parse(readFileSync(file, 'utf8'));
  if (url !== '/rdap/dns.json') return JSON.stringify(own);
  const added = faultSites.map(({ host, scheme = 'https' }) => [
    [`rdap-${host.replace('.rdap.test', '')}`],
    [`${scheme}://${host}/`],
  ]);
  return JSON.stringify({ ...own, services: [...own.services, ...added] });
}
