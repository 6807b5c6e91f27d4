/** The acceptance suite against the Node edge. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeMmdb } from '../mmdb.ts';
import { startNode } from '../node-service.ts';
import { type Client, curlClient, http1Client, http2Client } from './client.ts';
import { acceptance } from './suite.ts';

const curlVersions = supportedByCurl();

const london = { country_code: 'GB', city: 'London', state1: 'England', latitude: 51.5142, longitude: -0.0931 };

acceptance({
  name: 'Node edge',
  clientNames: clientsOf('http://localhost', 'https://localhost').map(({ name }) => name),
  async start({ rateLimit }) {
    const folder = mkdtempSync(join(tmpdir(), 'seenby-'));
    const city = join(folder, 'city.mmdb');
    writeFileSync(city, writeMmdb({ databaseType: 'city', ipVersion: 6, networks: { '127.0.0.0/8': london } }));
    const service = await startNode({
      host: '127.0.0.1',
      geoipCity: [city],
      rateLimitGeneral: rateLimit,
      rateLimitLookup: rateLimit,
    });
    return {
      ip: '127.0.0.1',
      clients: clientsOf(service.http ?? '', service.https ?? ''),
      async close() {
        await service.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
});

function clientsOf(http: string, https: string): Client[] {
  const byNode = [http1Client(http), http1Client(https), http2Client(https)];
  const byCurl = curlVersions.length > 0 ? [curlClient(http, '1.1')] : [];
  return [...byNode, ...byCurl, ...curlVersions.map((version) => curlClient(https, version))];
}

test('finds curl, with HTTP/2', (context) => {
  const missing = curlVersions.length === 0 ? 'curl' : curlVersions.includes('2') ? null : 'curl with HTTP/2';
  if (missing === null) return;
  assert.ok(!process.env.CI, `${missing} is not on this machine`);
  context.skip(`${missing} is not on this machine: the suite ran with Node's clients alone`);
});

/** TLS protocols of the curl on this machine. */
function supportedByCurl(): ('1.1' | '2')[] {
  try {
    const version = execFileSync('curl', ['--version'], { encoding: 'utf8' });
    return /^Features:.*\bHTTP2\b/m.test(version) ? ['1.1', '2'] : ['1.1'];
  } catch {
    return [];
  }
}
