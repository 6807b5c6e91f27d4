/** The queries that servers often answer wrong (after RFC 8906 §8), sent by dig to a server for the zone. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { DnsServer } from '../../../src/ingress/dns/server.ts';
import { optionsOf, zone } from '../../ingress/dns/dns-server.ts';

const hasDig = spawnSync('dig', ['-v']).status === 0;

/** A response as dig prints it. */
interface DigResponse {
  readonly status: string | undefined;
  /** Of the header, without `qr`. */
  readonly flags: string | undefined;
  /** The line about EDNS, without its label; null without it. */
  readonly edns: string | null;
  /** Types of the records in a section. */
  readonly answers: readonly string[];
  readonly authorities: readonly string[];
  readonly printed: string;
}

describe('dig gets', { skip: !hasDig && !process.env.CI && 'needs dig' }, () => {
  const { options } = optionsOf({ hosts: ['127.0.0.1', '::1'] });
  const server = new DnsServer(options);
  before(() => server.listen());
  after(() => server.close(0));

  const dig = async (...args: readonly string[]): Promise<DigResponse> => {
    const fixed = ['@127.0.0.1', '-p', `${server.port}`, '+tries=1', '+time=10'];
    const { stdout: printed } = await promisify(execFile)('dig', [...fixed, ...args]);
    const section = (name: string): string[] => {
      const [, lines = ''] = new RegExp(`;; ${name} SECTION:\\n((?:[^;\\n].*\\n)*)`).exec(printed) ?? [];
      return [...lines.matchAll(/\tIN\t(\S+)/g)].map(([, type = '']) => type);
    };
    return {
      status: /status: (\w+)/.exec(printed)?.[1],
      flags: /;; flags: qr ?([^;]*);/.exec(printed)?.[1],
      edns: /; EDNS: (.*)/.exec(printed)?.[1] ?? null,
      answers: section('ANSWER'),
      authorities: section('AUTHORITY'),
      printed,
    };
  };
  const shapeOf = ({ status, flags, edns, answers, authorities }: DigResponse) => [
    status,
    flags,
    edns,
    answers,
    authorities,
  ];
  const ednsLine = 'version: 0, flags:; udp: 1232';
  const soa = ['NOERROR', 'aa', null, ['SOA'], []];
  const noData = ['NOERROR', 'aa', null, [], ['SOA']];

  const cases: readonly (readonly [args: string, shape: readonly unknown[]])[] = [
    [`+noedns +norec SOA ${zone}`, soa],
    [`+noedns +norec TYPE1000 ${zone}`, noData],
    [`+noedns +norec +cd SOA ${zone}`, soa],
    [`+noedns +norec +ad SOA ${zone}`, soa],
    [`+noedns +norec +zflag SOA ${zone}`, soa],
    [`+noedns +rec SOA ${zone}`, ['NOERROR', 'aa rd', null, ['SOA'], []]],
    [`+noedns +norec +opcode=15 +header-only ${zone}`, ['NOTIMP', '', null, [], []]],
    [`+noedns +norec +tcp SOA ${zone}`, soa],
    [`+edns=0 +nocookie +norec SOA ${zone}`, ['NOERROR', 'aa', ednsLine, ['SOA'], []]],
    [`+edns=1 +noednsneg +nocookie +norec SOA ${zone}`, ['BADVERS', '', ednsLine, [], []]],
    [`+ednsopt=100 +nocookie +norec SOA ${zone}`, ['NOERROR', 'aa', ednsLine, ['SOA'], []]],
    [`+ednsflags=0x40 +nocookie +norec SOA ${zone}`, ['NOERROR', 'aa', ednsLine, ['SOA'], []]],
    [`+edns=1 +noednsneg +ednsopt=100 +nocookie +norec SOA ${zone}`, ['BADVERS', '', ednsLine, [], []]],
    [`+dnssec +nocookie +norec SOA ${zone}`, ['NOERROR', 'aa', 'version: 0, flags: do; udp: 1232', ['SOA'], []]],
    [`+noedns +norec +notcp ANY ${zone}`, ['NOERROR', 'aa', null, ['HINFO'], []]],
    [`+noedns +norec SOA other.example`, ['REFUSED', '', null, [], []]],
    [`+noedns +norec A missing.${zone}`, ['NXDOMAIN', 'aa', null, [], ['SOA']]],
    [`+noedns +norec NS ${zone}`, ['NOERROR', 'aa', null, ['NS', 'NS'], []]],
    [`+noedns +norec -c CH TXT version.bind`, ['REFUSED', '', null, [], []]],
    [`+noedns +norec -c CH TXT ${zone}`, ['REFUSED', '', null, [], []]],
  ];
  for (const [args, shape] of cases)
    test(`${shape[0]} for ${args}`, async () => {
      const response = await dig(...args.split(' '));
      assert.deepEqual(shapeOf(response), shape, response.printed);
      assert.doesNotMatch(response.printed, /MBZ|; OPT=100|malformed|extra bytes|mismatch/i);
    });

  test('no zone by AXFR or IXFR', async () => {
    for (const type of ['AXFR', 'IXFR=1']) assert.match((await dig(type, zone)).printed, /Transfer failed/, type);
    assert.equal((await dig('+notcp', '+noedns', 'IXFR=1', zone)).printed.includes('SOA'), false);
  });

  test('the client subnet with the scope of the answer', async () => {
    const subnets = async (name: string, subnet: string) =>
      /; CLIENT-SUBNET: (.*)/.exec((await dig(`+subnet=${subnet}`, 'A', name)).printed)?.[1];
    assert.equal(await subnets(zone, '203.0.113.0/24'), '203.0.113.0/24/0');
    assert.equal(await subnets(`whoami.${zone}`, '203.0.113.0/24'), '203.0.113.0/24/24');
    assert.equal(await subnets(`whoami.${zone}`, '2001:db8::/56'), '2001:db8::/56/56');
    assert.equal(await subnets(`whoami.${zone}`, '0'), '0.0.0.0/0/0');
  });

  test('a truncated response, and after it the whole one over TCP', async () => {
    // The address of IPv6 and a client subnet make the text longer than six times the query without EDNS.
    const { port } = server;
    const { stdout } = await promisify(execFile)('dig', [
      '@::1',
      '-p',
      `${port}`,
      '+bufsize=512',
      '+ignore',
      'ANY',
      zone,
      '+notcp',
    ]);
    assert.match(stdout, /flags: qr aa/);
    const short = new DnsServer({ ...options, bounds: { ...options.bounds, maxUdpResponseBytes: 100 } });
    await short.listen();
    const ask = async (...args: string[]) =>
      (
        await promisify(execFile)('dig', [
          '@127.0.0.1',
          '-p',
          `${short.port}`,
          '+bufsize=512',
          'TXT',
          `whoami.${zone}`,
          ...args,
        ])
      ).stdout;
    const [truncated, whole] = await Promise.all([ask('+ignore'), ask()]);
    await short.close(0);
    assert.match(truncated, /flags: qr aa tc/);
    assert.ok(Number(/MSG SIZE {2}rcvd: (\d+)/.exec(truncated)?.[1]) <= 100);
    assert.match(whole, /"transport=tcp"/);
  });

  test('the name in the case in which it asked', async () => {
    const { printed } = await dig('TXT', `wHoAmI.${zone.toUpperCase()}`);
    assert.match(printed, new RegExp(`^;wHoAmI\\.${zone.toUpperCase()}\\.`, 'm'));
    assert.match(printed, new RegExp(`^wHoAmI\\.${zone.toUpperCase()}\\.\\s+0\\s+IN\\s+TXT\\s.*"mixedCase=true"`, 'm'));
  });

  test('several answers on one TCP connection', async () => {
    const { printed } = await dig('+tcp', '+keepopen', '+short', 'TXT', `whoami.${zone}`, 'TXT', `x.whoami.${zone}`);
    const ports = [...printed.matchAll(/"port=(\d+)"/g)].map(([, port]) => port);
    assert.equal(ports.length, 2);
    assert.equal(new Set(ports).size, 1);
  });
});
