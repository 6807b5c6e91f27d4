/** Registries that respond with the files in test/rdap-fixtures: host/path.json. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type {
  BootstrapFile,
  BootstrapName,
  OutboundRequest,
  OutboundResult,
  Platform,
} from '../../../src/core/platform.ts';
import { parseBootstrapFile } from '../../../src/lookups/rdap/bootstrap.ts';
import { platformOf } from '../../platform.ts';

export const root = fileURLToPath(new URL('../../rdap-fixtures/', import.meta.url));

export const fixture = (path: string): Record<string, unknown> =>
  JSON.parse(readFileSync(`${root}${path}.json`, 'utf8'));

const read = (name: BootstrapName): BootstrapFile => {
  const file = parseBootstrapFile(readFileSync(`${root}data.iana.org/rdap/${name}.json`, 'utf8'));
  assert.ok(file !== null);
  return file;
};
export const files: Readonly<Record<BootstrapName, BootstrapFile>> = {
  dns: read('dns'),
  ipv4: read('ipv4'),
  ipv6: read('ipv6'),
  asn: read('asn'),
};

export const respondWith = (status: number, body: string | object = '', headers: Record<string, string> = {}) => ({
  status,
  headers,
  setCookies: [],
  body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
});

/** The file of a URL, or 404. */
export function serve({ url }: { url: string }): OutboundResult {
  const { host, pathname } = new URL(url);
  const file = `${root}${host}${pathname}.json`;
  return existsSync(file) ? respondWith(200, readFileSync(file, 'utf8')) : respondWith(404);
}

/** A platform whose registries respond like this; `requests` records every request to them. */
export function registries(
  respond: (request: OutboundRequest) => OutboundResult = serve,
  changed: Partial<Platform> = {},
): { platform: Platform; requests: OutboundRequest[] } {
  const requests: OutboundRequest[] = [];
  const platform = platformOf({
    bootstrapFile: async (name) => files[name],
    fetchPublic: async (request) => {
      requests.push(request);
      return respond(request);
    },
    ...changed,
  });
  return { platform, requests };
}
