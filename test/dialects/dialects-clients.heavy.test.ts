/** The ways in which clients read a response, for those that no registry of this project has: each rule is the client's own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from '../../src/core/address.ts';
import { headersFrame, settingsFrame, windowUpdateFrame } from '../client/fingerprint/http2-frames.ts';
import { clientRows } from './client-table.ts';
import { bodyOf, chromiumHello, jsonOf, munich, type Sent } from './requests.ts';

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36';

/** A public client of each version, with an address-like version in its User-Agent. */
const clients: readonly Sent[] = ['8.8.8.8', '2001:4860:4860::8888'].map((ip) => ({
  observed: { ...munich, ip, headers: { ...munich.headers, 'user-agent': chrome } },
}));
const addressOf = ({ observed }: Sent): string => observed?.ip ?? assert.fail();

/** Checks that the rule finds the address of each client in the body of the path. */
const finds = (path: string, rule: (body: string, ip: string) => string | undefined) => () => {
  for (const client of clients) {
    const ip = addressOf(client);
    assert.equal(rule(bodyOf(path, client), ip), ip, path);
  }
};

const isIpv6 = (text: string): boolean => text.includes(':') && parseAddress(text) !== null;
const ipv4 = /(?:\d{1,3}\.){3}\d{1,3}/g;
const ipv6 = /[\dA-Fa-f:.]{2,}/g;

/** The first IPv4 address of a text, else the first run that is an IPv6 address. */
const first = (body: string): string | undefined => body.match(ipv4)?.[0] ?? body.match(ipv6)?.find(isIpv6);

/** All addresses in the first line that has one (grep -m 1 -o). */
function ofFirstLine(body: string): string | undefined {
  for (const line of body.split('\n')) {
    const found = line.match(ipv4) ?? line.match(ipv6)?.filter(isIpv6) ?? [];
    if (found.length > 0) return found.join(' ');
  }
  return undefined;
}

/** The distinct addresses of one version; two of them are an error. */
function onlyOne(body: string, ip: string): string | undefined {
  const runs = ip.includes(':') ? (body.match(/[\da-fA-F:]+/g) ?? []).filter(isIpv6) : (body.match(/[\d.]+/g) ?? []);
  const found = new Set(runs.filter((run) => parseAddress(run) !== null));
  return found.size === 1 ? [...found][0] : undefined;
}

const headerFields = [
  [':method', 'GET'],
  [':authority', 'seenby.example'],
  [':scheme', 'https'],
  [':path', '/'],
  ['user-agent', chrome],
] as const;
const http2Frames = Buffer.concat([
  settingsFrame([1, 65536]),
  windowUpdateFrame(15663105),
  headersFrame({ exclusive: true, dependsOn: 0, weight: 256 }),
]);
const fingerprinted = {
  observed: {
    ...munich,
    headers: { ...munich.headers, 'user-agent': chrome },
    handshake: { ...munich.handshake, clientHello: chromiumHello, http2Frames, headerFields },
  },
};
const overHttp1 = {
  observed: {
    ...fingerprinted.observed,
    protocol: 'HTTP/1.1' as const,
    handshake: {
      ...fingerprinted.observed.handshake,
      http2Frames: null,
      headerFields: [
        ['Host', 'a'],
        ['X-custom-header', 'b'],
      ] as const,
    },
  },
};

const rules: Readonly<Record<string, () => void>> = {
  gluetun() {
    const write = clientRows.find(({ client }) => client === 'gluetun')?.write ?? '';
    const url = write.replace('PUBLICIP_API=echoip#', '');
    assert.match(url, /^http(s|):\/\/.+[^/]$/);
    for (const client of clients) {
      const read = jsonOf(new URL(`${url}/json`).pathname, client);
      assert.equal(read.ip, addressOf(client));
      for (const key of ['country', 'region_name', 'zip_code', 'city', 'time_zone', 'asn_org'])
        assert.equal(typeof read[key], 'string', key);
      for (const key of ['latitude', 'longitude']) assert.equal(typeof read[key], 'number', key);
    }
  },
  // Its plugin takes each word of the output as an address.
  ddupdate: finds('/as/plain', (body) => body.trim()),
  'ddns-go': finds('/as/plain', first),
  'favonia/cloudflare-ddns': finds('/as/plain', (body) => {
    const lines = body.split('\n').map((line) => line.replace(/#.*/, '').trim());
    return lines.filter((line) => line !== '').join(' ');
  }),
  'timothymiller/cloudflare-ddns': finds('/as/trace', (body) =>
    body
      .split('\n')
      .find((line) => line.startsWith('ip='))
      ?.slice(3),
  ),
  'OpenWrt ddns-scripts': finds('/as/dyndns', ofFirstLine),
  pfSense: finds('/as/dyndns', first),
  'qdm12/ddns-updater': finds('/as/plain', onlyOne),
  Terraform: finds('/as/echoip/json', (body) => JSON.parse(body).ip),
  'scripts for ip-api.com'() {
    for (const client of clients) {
      const read = jsonOf('/as/ip-api/json', client);
      assert.deepEqual([read.status, read.query, read.country], ['success', addressOf(client), 'Germany']);
      for (const key of ['countryCode', 'region', 'regionName', 'city', 'zip', 'timezone'])
        assert.equal(typeof read[key], 'string', key);
      for (const key of ['lat', 'lon']) assert.equal(typeof read[key], 'number', key);
    }
  },
  'scripts for ipinfo.io'() {
    for (const client of clients) {
      const details = jsonOf('/as/ipinfo', client);
      // As its Python library reads it.
      const [latitude, longitude] = details.loc.split(',');
      assert.deepEqual([latitude, longitude, `${details.country}.svg`], ['48.1374', '11.5755', 'DE.svg']);
    }
    const unknown = { ...munich, ip: '8.8.8.8', location: { ...munich.location, country: null } };
    assert.equal(`${jsonOf('/as/ipinfo', { observed: unknown }).country}.svg`, '.svg');
  },
  'bogdanfinn/tls-client'() {
    const { tls, http2 } = jsonOf('/as/peet/api/all', fingerprinted);
    for (const value of [tls.ja3, tls.ja3_hash, http2.akamai_fingerprint, http2.akamai_fingerprint_hash])
      assert.ok(value !== '');
    assert.deepEqual(
      http2.sent_frames[2].headers.slice(0, 5),
      headerFields.map((field) => field.join(': ')),
    );
    assert.deepEqual(jsonOf('/as/peet/api/all', overHttp1).http1.headers, ['Host: a', 'X-custom-header: b']);
  },
  CycleTLS() {
    const all = jsonOf('/as/peet/api/all', fingerprinted);
    const clean = jsonOf('/as/peet/api/clean', fingerprinted);
    assert.deepEqual([clean.ja3, clean.ja3_hash], [all.tls.ja3, all.tls.ja3_hash]);
    assert.deepEqual([all.user_agent, all.http_version], [chrome, 'h2']);
    const [settings, update] = all.http2.sent_frames;
    assert.deepEqual(Object.keys(settings), ['frame_type', 'length', 'settings']);
    assert.deepEqual(Object.keys(update), ['frame_type', 'length', 'increment']);
    // It decodes both into maps of text.
    const { args, headers } = jsonOf('/as/httpbin/get', { ...fingerprinted, query: 'a=1' });
    for (const value of [...Object.values(args), ...Object.values(headers)]) assert.equal(typeof value, 'string');
  },
  azuretls() {
    const all = jsonOf('/as/peet/api/all', fingerprinted);
    const opening = all.http2.sent_frames.find((frame: { frame_type: string }) => frame.frame_type === 'HEADERS');
    assert.equal(opening.headers.length, headerFields.length);
    assert.match(all.tls.peetprint_hash, /^[\da-f]{32}$/);
    const { http1, http_version: version } = jsonOf('/as/peet/api/all', overHttp1);
    assert.deepEqual([version, http1.headers.length], ['HTTP/1.1', 2]);
  },
  curl_cffi() {
    const leaks = jsonOf('/as/browserleaks/json', fingerprinted);
    assert.equal(leaks.ja3_text.split(',').length, 5);
    assert.match(leaks.ja3_hash, /^[\da-f]{32}$/);
    assert.match(leaks.akamai_text, /^1:65536\|15663105\|0\|m,a,s,p$/);
    const { ciphers, extensions } = jsonOf('/as/peet/api/all', fingerprinted).tls;
    const named = (name: string) => extensions.find((each: { name: string }) => each.name === name);
    assert.ok(ciphers[0].includes('TLS_GREASE'));
    assert.ok(named('signature_algorithms (13)').signature_algorithms.length > 0);
    assert.ok(named('supported_versions (43)').versions.includes('TLS 1.3'));
  },
  wreq() {
    const leaks = jsonOf('/as/browserleaks', fingerprinted);
    const body = bodyOf('/as/browserleaks', fingerprinted);
    for (const value of [leaks.ja4, leaks.akamai_hash]) assert.ok(value !== '' && body.includes(value));
    const http1 = bodyOf('/as/browserleaks', overHttp1);
    for (const name of ['Host', 'X-custom-header']) assert.ok(http1.includes(name), name);
  },
};

for (const [client, rule] of Object.entries(rules)) test(`${client} finds what it reads`, rule);

test('every client of the table without a program has its rule here', () => {
  const listed = clientRows.filter(({ program }) => program === null).map(({ client }) => client);
  assert.deepEqual(Object.keys(rules).sort(), listed.sort());
});
