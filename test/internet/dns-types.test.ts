/** Every record type against dig: the service, over DNS over HTTPS, and dig, over UDP, read the answers of the same resolver. */
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { DnsAnswer, type DnsRecord, type DnsType } from '../../src/lookups/dns/schema.ts';
import { skipWithoutInternet } from './internet.ts';
import { serveForSuite, serveIn } from './service.ts';

/** Names with records of each type. */
const names: Readonly<Record<DnsType, readonly string[]>> = {
  A: ['example.com'],
  AAAA: ['example.com'],
  MX: ['example.com', 'null-mx.example.com'],
  TXT: ['example.com', 'chunks.example.com', 'octets.example.com', 'empty-txt.example.com', 'two-texts.example.com'],
  NS: ['example.com'],
  CNAME: ['alias.example.com'],
  CAA: ['example.com'],
  SOA: ['example.com'],
  PTR: ['1.pointer.example.com', '9.0.1.25.in-addr.arpa'],
  SRV: ['_sip._tcp.example.com', '_imap._tcp.example.com'],
  HTTPS: ['example.com', 'https-alias.example.com', 'https-full.example.com', 'https-two.example.com'],
  SVCB: ['_dns.resolver.example.com'],
  DS: ['example.com', 'signed-below.example.com'],
  DNSKEY: ['example.com'],
  TLSA: ['_443._tcp.example.com', '_25._tcp.mail.example.com'],
  SSHFP: ['ssh.example.com'],
  NAPTR: ['enum.example.com'],
};

/** Our text as dig writes it: absolute names, numbers of algorithms, no comment, quoted parameters. */
function asDig({ type, data, txt, ds, dnskey, svcb }: DnsRecord): string {
  if (txt !== null) return txt.chunks.map((chunk) => `"${chunk.replaceAll('"', '\\"')}"`).join(' ');
  const plain = data.replace(/ ; .*$/, '');
  const absolute = (name: string): string => (name === '.' ? '.' : `${name}.`);
  if (ds !== undefined) return plain.replace(` ${ds.algorithmName} `, ` ${ds.algorithm} `);
  if (dnskey !== undefined) return plain.replace(` ${dnskey.algorithmName} `, ` ${dnskey.algorithm} `);
  if (svcb !== undefined) {
    const [priority, target = '', ...params] = plain.split(/ (?=\S+=|\S+$|[^"]*$)/);
    return [priority, absolute(target), ...params].join(' ');
  }
  if (type === 'SOA')
    return plain.replace(/^(\S+) (\S+)/, (_, mname, rname) => `${absolute(mname)} ${absolute(rname)}`);
  if (/^(?:MX|NS|CNAME|PTR|SRV|NAPTR)$/.test(type)) return plain.replace(/\S+$/, absolute);
  return plain;
}

/** dig quotes parameters that need no quotes, and escapes all that is not a letter or digit in some. */
const normalize = (line: string): string =>
  line
    .replace(/(\w)="([^"\s]*)"/g, '$1=$2')
    .replaceAll('\\"', '"')
    .replace(/\bkey7=/, 'dohpath=');

describe('record types in the simulated internet', { skip: skipWithoutInternet() }, () => {
  const simulated = serveForSuite((internet) => serveIn(internet, { RATE_LIMIT_LOOKUP: '0', RATE_LIMIT_GENERAL: '0' }));

  const dig = async (name: string, type: string): Promise<string[]> => {
    const child = simulated.internet.spawn('dig', ['@127.0.0.1', '+short', '+nosplit', '+tcp', name, type], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    assert.ok(child.stdout !== null);
    return (await text(child.stdout)).trimEnd().split('\n');
  };

  const queries = Object.entries(names).flatMap(([type, all]) => all.map((name) => [type as DnsType, name] as const));
  for (const [type, name] of queries)
    test(`${type} of ${name}`, async () => {
      const { status, body } = await simulated.service.request(`/api/dns?name=${name}&type=${type}`);
      assert.equal(status, 200, body);
      const answer = DnsAnswer.strict().parse(JSON.parse(body));
      assert.ok(answer.records.length > 0);
      assert.ok(answer.records.every(({ error }) => error === undefined));
      const expected = await dig(name, type);
      assert.deepEqual(answer.records.map(asDig).map(normalize).toSorted(), expected.map(normalize).toSorted());
    });

  test('an IP address with the type PTR does the reverse name', async () => {
    const { body } = await simulated.service.request('/api/dns?name=25.1.0.9&type=PTR');
    const { name, records } = DnsAnswer.parse(JSON.parse(body));
    assert.deepEqual([name, records.map(({ data }) => data)], ['9.0.1.25.in-addr.arpa', ['client.example.com']]);
  });

  test('key tags equal those of DS records, and of dig', async () => {
    const read = async (type: DnsType) =>
      DnsAnswer.parse(JSON.parse((await simulated.service.request(`/api/dns?name=example.com&type=${type}`)).body))
        .records;
    const [keys, [ds]] = [await read('DNSKEY'), await read('DS')];
    assert.ok(keys.some(({ dnskey }) => dnskey !== undefined && dnskey.keyTag === ds?.ds?.keyTag));
    assert.match(ds?.data ?? '', /^\d+ ECDSAP256SHA256 [12] [\dA-F]+ ; SHA-(?:1|256)$/);
    const child = simulated.internet.spawn('dig', ['@127.0.0.1', '+multiline', '+tcp', 'example.com', 'DNSKEY'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    assert.ok(child.stdout !== null);
    const printed = await text(child.stdout);
    for (const { dnskey } of keys)
      assert.match(printed, new RegExp(`alg = ${dnskey?.algorithmName} ; key id = ${dnskey?.keyTag}`));
  });
});
