/** The section with the test of DNS and WebRTC is there only if the deployment has a DNS or STUN server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Probes } from '../../../../src/core/request-context.ts';
import { probesScript, script } from '../../../../src/http/page/generated/assets.ts';
import { seenAll } from '../../../observed.ts';
import { pageAt } from '../page-at.ts';

const nothing: Probes = { dns: null, stun: null, portCheck: false };
const dns = { zone: 'dns.seenby.example' };
const stun = { host: 'stun.seenby.example', port: 3478, mappingPort: 3479 };
const everything: Probes = { dns, stun, portCheck: true };
const pageWith = (probes: Probes) => pageAt('/', seenAll, null, { probes });

const titleIn = (page: string) => /<h2 id="test">([^<]*)<\/h2>/.exec(page)?.[1];

test('without a DNS server, a STUN server and the check of ports, the page has nothing of them', () => {
  const page = pageWith(nothing);
  assert.equal(page, pageAt('/'));
  assert.doesNotMatch(page.replace(script, ''), /#test|data-test|api\/port|WebRTC|STUN/);
  assert.ok(!page.includes(probesScript));
});

test('names in title, navigation and sentence only what the deployment has', () => {
  for (const [probes, title, sentence] of [
    [
      everything,
      'DNS and WebRTC',
      /resolves 6 names \(12 if it does not prefetch\), .* 20 to 80 queries, and sends STUN requests over UDP\. Nothing is/,
    ],
    [
      { ...nothing, dns },
      'DNS',
      /resolves 6 names \(12 if it does not prefetch\), for which your resolver sends 20 to 80 queries\. Nothing is/,
    ],
    [
      { ...nothing, stun },
      'WebRTC',
      />Which address WebRTC shows\..* your browser sends STUN requests over UDP\. Nothing is/s,
    ],
  ] as const) {
    const page = pageWith(probes);
    assert.equal(titleIn(page), title);
    assert.ok(page.includes(`<a href="#test">${title}</a>`));
    assert.match(/<section aria-labelledby="test">(.*?)<\/section>/s.exec(page)?.[1] ?? '', sentence);
    assert.equal(page.includes('whoami.dns.seenby.example'), probes.dns !== null);
  }
});

test('the check of a port is one of the lookups, also without a DNS and a STUN server', () => {
  const page = pageWith({ ...nothing, portCheck: true });
  assert.equal(titleIn(page), undefined);
  assert.ok(page.includes('<form action="/api/port">') && page.includes(probesScript));
  assert.ok(!pageWith({ ...nothing, dns }).includes('<form action="/api/port">'));
});

test('passes the network and the address of the request to the script as text', () => {
  const hostile = `"><script>alert('1')</script>`;
  const observed = { ...seenAll, autonomousSystem: { ...seenAll.autonomousSystem, asn: 1, asOrganization: hostile } };
  const page = pageAt('/', observed, null, { probes: everything });
  assert.equal(page.match(/<script/g)?.length, 3);
  const data = /data-test="([^"]*)"/.exec(page)?.[1]?.replaceAll('&quot;', '"').replaceAll('&#39;', "'") ?? '';
  const expected = { dns, stun, own: { ip: seenAll.ip, asn: 1, asOrganization: hostile } };
  assert.deepEqual(JSON.parse(data.replaceAll('&gt;', '>').replaceAll('&lt;', '<')), expected);
});

test('stays under 42 KB compressed with a browser’s headers and everything on', () => {
  const headers = {
    'user-agent':
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8',
    ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`sec-ch-ua-${n}`, `"Chromium";v="15${n}"`])),
  };
  const { length } = gzipSync(pageAt('/', { ...seenAll, headers }, null, { probes: everything }));
  assert.ok(length < 42_000, `${length}`);
});
