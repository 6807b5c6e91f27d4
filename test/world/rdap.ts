/** IANA's bootstrap files and the RDAP servers: a folder of fixtures for each host, and a host for each fault. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, faults, redirect, send } from './behaviours.ts';
import type { Behaviour, Site } from './site.ts';

interface Bootstrap {
  readonly services: readonly (readonly [readonly string[], readonly string[]])[];
}

const iana = 'data.iana.org';
const rdapJson = { 'content-type': 'application/rdap+json' };
const domain = (name: string) => JSON.stringify({ objectClassName: 'domain', ldhName: name });
const found = answer(200, rdapJson, domain('example.rdap'));

/** Servers with a fault; `<name>.rdap.test` serves the top-level domain `rdap-<name>`. */
const faultSites: readonly (Site & { readonly scheme?: 'http' })[] = [
  ...Object.entries({
    ...faults,
    found,
    'redirect-listed': redirect('https://found.rdap.test/domain/example.rdap'),
    'redirect-unlisted': redirect('https://bare.test/domain/example.rdap'),
    'redirect-http': redirect('http://found.rdap.test/domain/example.rdap'),
    'rdap-404': answer(404, rdapJson, JSON.stringify({ errorCode: 404, title: 'Not Found', description: ['No.'] })),
    'json-type': answer(200, { 'content-type': 'application/json' }, domain('example.rdap')),
    'other-class': answer(200, rdapJson, JSON.stringify({ objectClassName: 'entity', handle: 'X' })),
    deep: answer(200, rdapJson, `${'['.repeat(100_000)}${']'.repeat(100_000)}`),
  } satisfies Record<string, Behaviour>).map(([name, behaviour]) => ({ host: `${name}.rdap.test`, behaviour })),
  { host: 'expired.rdap.test', behaviour: found, certificate: 'expired' },
  { host: 'self-signed.rdap.test', behaviour: found, certificate: 'self-signed' },
  { host: 'other-name.rdap.test', behaviour: found, certificate: 'other-name' },
  { host: 'http-only.rdap.test', behaviour: found, ports: [80], scheme: 'http' },
  { host: 'private.rdap.test', behaviour: null, addresses: ['10.0.0.5'] },
  { host: 'refused.rdap.test', behaviour: null },
  { host: 'no-connection.rdap.test', behaviour: null, addresses: ['45.0.0.2'] },
];

/** The sites of a folder `<host>/<path>.json`; no host is missing where the folder is, none but IANA's where it is not. */
export function rdapSites(fixtures: string): readonly Site[] {
  const hosts = existsSync(fixtures)
    ? readdirSync(fixtures, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    : [];
  return [
    { host: iana, addresses: ['192.0.43.8'], behaviour: bootstrapServer(join(fixtures, iana)) },
    ...hosts
      .map(({ name }) => name)
      .filter((host) => host !== iana)
      .map((host) => ({
        host,
        ports: [80, 443, 9000],
        behaviour: fixtureServer(join(fixtures, host)),
      })),
    ...faultSites,
  ];
}

function fixtureServer(folder: string): Behaviour {
  return {
    http: (request, response) => {
      const file = fileIn(folder, request.url ?? '/');
      if (file === null) send(response, 404, rdapJson, '');
      else send(response, 200, rdapJson, readFileSync(file));
    },
  };
}

/** The file of a path, whose name may end in `.json` without the path doing so. */
function fileIn(folder: string, url: string): string | null {
  const { pathname } = new URL(url, 'http://fixture');
  const path = join(folder, decodeURIComponent(pathname));
  if (path.endsWith('.json') && existsSync(path)) return path;
  return existsSync(`${path}.json`) ? `${path}.json` : null;
}

function bootstrapServer(folder: string): Behaviour {
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

/** The fixture, or an empty file where there is none, with the fault servers' top-level domains added to dns.json. */
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
