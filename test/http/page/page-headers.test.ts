/** The pages' headers pass our own grader. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Deployment } from '../../../src/core/request-context.ts';
import { createApp } from '../../../src/http/app.ts';
import { grade } from '../../../src/lookups/headers-check/grade.ts';
import { seenAll } from '../../observed.ts';
import { platformOf } from '../../platform.ts';
import { noBody } from '../../request-context.ts';
import { pagePaths } from './page-at.ts';

async function headersAt(
  path: string,
  publicUrl: string | null,
  origins: Partial<Deployment> = {},
  isSecure = true,
): Promise<Record<string, string>> {
  const observed = { ...seenAll, isSecure, path, headers: { accept: 'text/html' } };
  const { headers, status } = await createApp({ publicUrl, contact: null, ...origins })(observed, platformOf(), noBody);
  assert.equal(status, 200);
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

const families = { publicUrlV4: 'https://v4.seenby.example', publicUrlV6: 'https://v6.seenby.example' };

for (const path of pagePaths) {
  test(`gets A+ without a failed check or warning: ${path}`, async () => {
    const headers = await headersAt(path, 'https://seenby.example', families);
    const url = `http://seenby.example${path}`;
    const finalUrl = `https://seenby.example${path}`;
    const hops = [
      { url, status: 301, location: finalUrl },
      { url: finalUrl, status: 200, location: null },
    ];
    const graded = grade({ url, finalUrl, status: 200, hops, headers, setCookies: [] });
    assert.deepEqual([graded.grade, graded.score], ['A+', 100]);
    assert.deepEqual(
      graded.checks.filter(({ pass }) => !pass),
      [],
    );
    assert.deepEqual(
      graded.notes.filter(({ level }) => level === 'warning'),
      [],
    );
  });
}

test('sends HSTS only if the public URL is HTTPS', async () => {
  for (const [publicUrl, expected] of [
    ['https://seenby.example', 'max-age=63072000'],
    ['http://seenby.example', undefined],
    [null, undefined],
  ] as const)
    assert.equal((await headersAt('/', publicUrl))['strict-transport-security'], expected);
});

test('sends HSTS over HTTPS only (RFC 6797 §7.2)', async () => {
  const headers = await headersAt('/', 'https://seenby.example', {}, false);
  assert.equal(headers['strict-transport-security'], undefined);
});

test('has a Content-Security-Policy without unsafe sources', async () => {
  assert.doesNotMatch((await headersAt('/', null))['content-security-policy'] ?? '', /unsafe|\*|https?:/);
});

test('allows requests to the hosts for one IP version, and to no other', async () => {
  const policy = (await headersAt('/', 'https://seenby.example', families))['content-security-policy'];
  assert.match(policy ?? '', /connect-src 'self' https:\/\/v4\.seenby\.example https:\/\/v6\.seenby\.example;/);
  const single = await headersAt('/', null, { publicUrlV6: 'https://v6.seenby.example' });
  assert.match(single['content-security-policy'] ?? '', /connect-src 'self' https:\/\/v6\.seenby\.example;/);
  assert.match((await headersAt('/', null))['content-security-policy'] ?? '', /connect-src 'self';/);
});

test('allows requests to names of the zone, only with a DNS server', async () => {
  const probes = { dns: { zone: 'dns.seenby.example' }, stun: null, portCheck: false };
  const policy = (await headersAt('/', null, { probes }))['content-security-policy'];
  assert.match(policy ?? '', /connect-src 'self' https:\/\/\*\.dns\.seenby\.example;/);
  const without = (await headersAt('/', null, { probes: { ...probes, dns: null } }))['content-security-policy'];
  assert.match(without ?? '', /connect-src 'self';/);
});
