/** The acceptance suite against a service on Node, with the clients of a test file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeMmdb } from '../mmdb.ts';
import { startNode } from '../node-service.ts';
import type { Client } from './client.ts';
import { acceptance } from './suite.ts';

const london = { country_code: 'GB', city: 'London', state1: 'England', latitude: 51.5142, longitude: -0.0931 };

export function acceptanceOfNode(
  name: string,
  clientsOf: (http: string, https: string, http3: string) => Client[],
  { sideBySide = false } = {},
): void {
  acceptance({
    name,
    sideBySide,
    clientNames: clientsOf('http://localhost', 'https://localhost', 'https://localhost').map(({ name }) => name),
    async start({ rateLimit }) {
      const folder = mkdtempSync(join(tmpdir(), 'seenby-'));
      const city = join(folder, 'city.mmdb');
      writeFileSync(city, writeMmdb({ databaseType: 'city', ipVersion: 6, networks: { '127.0.0.0/8': london } }));
      const service = await startNode({
        host: '127.0.0.1',
        http3Port: 0,
        colo: 'LHR',
        geoipCity: [city],
        rateLimitGeneral: rateLimit,
        rateLimitLookup: rateLimit,
      });
      return {
        ip: '127.0.0.1',
        clients: clientsOf(service.http ?? '', service.https ?? '', service.http3 ?? ''),
        async close() {
          await service.close();
          rmSync(folder, { recursive: true });
        },
      };
    },
  });
}
