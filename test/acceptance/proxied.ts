/** The Node edge behind a real proxy, which runs from its file of docs/deploy. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { prefixOf } from '../../src/core/address.ts';
import type { Settings } from '../../src/core/settings.ts';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { writeMmdb } from '../mmdb.ts';
import { startNode } from '../node-service.ts';
import { type Client, http1Client, keptHttp1Client, keptHttp2Client } from './client.ts';
import { type DeployedProxy, proxies, type RunningProxy, startProxy } from './proxies.ts';
import { acceptance } from './suite.ts';

/** Clients have another address than the proxies at 127.0.0.1. No proxy may write it anywhere. */
export const caller = '127.83.66.89';

export const pem = await createLocalhostCertificate();
const folder = mkdtempSync(join(tmpdir(), 'seenby-'));
const city = join(folder, 'city.mmdb');
const london = { country_code: 'GB', city: 'London', state1: 'England', latitude: 51.5142, longitude: -0.0931 };
writeFileSync(city, writeMmdb({ databaseType: 'city', ipVersion: 6, networks: { '127.0.0.0/8': london } }));
after(() => rmSync(folder, { recursive: true }));

/** Settings of a service behind a proxy that sets headers, and behind one that relays connections. */
export const trusted: Partial<Settings> = { tlsPort: null, trustEdgeHeaders: ['x-edge'] };
const relayed: Partial<Settings> = { proxyProtocol: true };

export interface ProxiedEdge {
  readonly proxy: DeployedProxy;
  readonly settings: Partial<Settings>;
  readonly malformedPaths?: string[];
}

export const proxiedEdges = {
  haproxy: { proxy: proxies.haproxy, settings: trusted },
  nginx: { proxy: proxies.nginx, settings: trusted, malformedPaths: ['/%00', '/..%2f'] },
  caddy: { proxy: proxies.caddy, settings: trusted },
  haproxyTcp: { proxy: proxies.haproxyTcp, settings: relayed },
  haproxyTcp1: { proxy: proxies.haproxyTcp1, settings: relayed },
} satisfies Record<string, ProxiedEdge>;

export async function startProxied(proxy: DeployedProxy, changed: Partial<Settings>) {
  const trustProxy = [prefixOf('127.0.0.1')];
  const service = await startNode({ host: '127.0.0.1', colo: 'LHR', geoipCity: [city], trustProxy, ...changed });
  return { service, front: await startProxy(proxy, service, pem) };
}

export function clientsOf({ http, https }: Pick<RunningProxy, 'http' | 'https'>): Client[] {
  return [http1Client(http, caller), keptHttp1Client(https, caller), keptHttp2Client(https, caller)];
}

/** Runs the acceptance suite through the proxy. */
export function acceptanceThrough({ proxy, settings, ...differences }: ProxiedEdge): void {
  acceptance({
    name: proxy.name,
    clientNames: clientsOf({ http: 'http://localhost', https: 'https://localhost' }).map(({ name }) => name),
    ...differences,
    async start({ rateLimit }) {
      const limits = { rateLimitGeneral: rateLimit, rateLimitLookup: rateLimit };
      const { service, front } = await startProxied(proxy, { ...settings, ...limits });
      return {
        ip: caller,
        clients: clientsOf(front),
        async close() {
          await front.close();
          await service.close();
          front.remove();
        },
      };
    },
  });
}
