/** The simulated internet itself: the properties that the tests of the lookups rely on. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { type DecodedPacket, decode, encode, type RecordType } from 'dns-packet';
import { until } from '../until.ts';
import { decoyAddresses } from './decoys.ts';
import { openInternet, type SimulatedInternet, skipWithoutInternet } from './internet.ts';

suite('the simulated internet', { skip: skipWithoutInternet() }, () => {
  let internet: SimulatedInternet;
  const fixtures = mkdtempSync(join(tmpdir(), 'seenby-fixtures-'));

  before(async () => {
    const folder = join(fixtures, 'rdap.verisign.com/com/v1/domain');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'example.com.json'), '{"objectClassName":"domain"}');
    internet = await openInternet({ rdapFixtures: fixtures });
  });

  after(async () => {
    await internet?.close();
    rmSync(fixtures, { recursive: true });
  });

  const doh = async (name: string, type: RecordType, { at = 'cloudflare-dns.com', flags = 0x0120 } = {}) => {
    const question = encode({ type: 'query', id: 0, flags, questions: [{ type, name }] });
    const { body } = await internet.sendRequest(`https://${at}/dns-query`, {
      http2: true,
      method: 'POST',
      headers: { 'content-type': 'application/dns-message' },
      body: question,
    });
    return decode(body) as DecodedPacket & { rcode: string };
  };

  /** The code with which a request fails. */
  const failure = (url: string) =>
    internet.sendRequest(url).then(
      ({ status }) => status,
      (error: NodeJS.ErrnoException) => error.code,
    );

  /** Output of a Node program inside the simulated internet. */
  const printed = async (program: string) => {
    const child = internet.spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = (await child.stdout?.toArray())?.join('');
    return output?.trim();
  };

  test('resolvers validate DNSSEC', async () => {
    for (const at of ['cloudflare-dns.com', 'dns.google', 'doh.test']) {
      const signed = await doh('example.com', 'A', { at });
      assert.equal(signed.flag_ad, true, at);
      assert.deepEqual(signed.answers?.map((record) => 'data' in record && record.data).sort(), [
        '93.184.216.34',
        '93.184.216.35',
      ]);
      const unsigned = await doh('unsigned.com', 'A', { at });
      assert.deepEqual([unsigned.rcode, unsigned.flag_ad], ['NOERROR', false]);
      assert.equal((await doh('bogus.com', 'A', { at })).rcode, 'SERVFAIL');
      assert.equal((await doh('bogus.com', 'A', { at, flags: 0x0130 })).rcode, 'NOERROR', 'checking disabled');
      assert.deepEqual(
        [(await doh('nope.example.com', 'A', { at })).rcode, (await doh('a.invalid-tld', 'A', { at })).rcode],
        ['NXDOMAIN', 'NXDOMAIN'],
      );
    }
  });

  test('TLS certificates are signed by the simulated authority', async () => {
    assert.equal((await internet.sendRequest('https://bare.test/')).status, 200);
    assert.equal((await internet.sendRequest('https://93.184.216.34/')).status, 200);
    assert.equal(await failure('https://expired.test/'), 'CERT_HAS_EXPIRED');
    assert.equal(await failure('https://self-signed.test/'), 'DEPTH_ZERO_SELF_SIGNED_CERT');
    assert.equal(await failure('https://other-name.test/'), 'ERR_TLS_CERT_ALTNAME_INVALID');
    assert.equal(await printed('console.log((await fetch("https://bare.test/")).status)'), '200');
  });

  test('reports each arrival once', async () => {
    await internet.arrivals();
    await internet.sendRequest('http://bare.test/path?query', {
      method: 'POST',
      headers: { 'X-Name': ['1', '2'] },
      body: 'body',
      from: '203.0.113.7',
    });
    const [arrival, ...others] = await internet.arrivals();
    assert.equal(others.length, 0);
    const { address, rawHeaders, ...rest } = arrival ?? assert.fail('nothing arrived');
    assert.match(address, /^23\.216\./);
    assert.deepEqual(rawHeaders.slice(0, 4), ['X-Name', '1', 'X-Name', '2']);
    assert.deepEqual(rest, {
      from: '203.0.113.7',
      port: 80,
      protocol: 'HTTP/1.1',
      method: 'POST',
      host: 'bare.test',
      path: '/path?query',
      bodyLength: 4,
    });
    await internet.sendRequest('https://h2.test/', { http2: true });
    await internet.sendRequest('https://garbage.test/').catch(() => {});
    assert.deepEqual(
      (await internet.arrivals()).map(({ protocol, host, port }) => [protocol, host, port]),
      [
        ['HTTP/2', 'h2.test', 443],
        ['HTTP/1.1', 'garbage.test', 443],
      ],
    );
    assert.deepEqual(await internet.arrivals(), []);
  });

  test('decoys are reachable and record connections', async () => {
    await internet.decoyHits();
    for (const address of decoyAddresses) {
      const host = address.includes(':') ? `[${address}]` : address;
      // A URL has no zone (RFC 6874 is not implemented).
      if (address.includes('%')) continue;
      assert.equal(await failure(`http://${host}/`), 200, address);
      assert.equal(await failure(`https://${host}/`), 200, address);
    }
    assert.equal((await internet.decoyHits()).length, 2 * (decoyAddresses.length - 1));
    for (const host of ['private.test', 'mapped.test', 'loopback.test', 'localhost']) {
      assert.equal(await failure(`http://${host}/`), 200, host);
    }
    assert.equal((await internet.decoyHits()).length, 4);
    await printed(`const { connect } = await import('node:net');
      const socket = connect(22, '10.0.0.5', () => socket.end());`);
    assert.deepEqual(await internet.decoyHits(), [{ from: '10.0.0.5', address: '10.0.0.5', port: 22 }]);
  });

  test('connections fail in each configured way', async () => {
    assert.equal(await failure('http://refused.test/'), 'ECONNREFUSED');
    assert.equal(await failure('https://https-refused.test/'), 'ECONNREFUSED');
    assert.equal(await failure('http://unreachable.test/'), 'EHOSTUNREACH');
    assert.equal(await failure('http://unreachable-ipv6.test/'), 'EHOSTUNREACH');
    assert.equal(await failure('http://prohibited.test/'), 'EACCES');
    assert.equal(await failure('http://nowhere.test/'), 'ENOTFOUND');
    assert.equal(await failure('http://reset-at-once.test/'), 'ECONNRESET');
    const endless = ['no-connection.test', 'no-connection-ipv6.test', 'silent.test', 'hang.test'];
    const wait = new Promise((resolve) => setTimeout(resolve, 300, 'waited'));
    assert.equal(await Promise.race([wait, ...endless.map((host) => failure(`http://${host}/`))]), 'waited');
    assert.equal(await failure('http://ipv6-refused.test/'), 200);
  });

  test('a rebinding name changes its address with each query', async () => {
    const addresses = [];
    for (let n = 0; n < 3; n += 1) {
      const { answers } = await doh('a.rebind.test', 'A');
      addresses.push(answers?.map((record) => 'data' in record && record.data));
    }
    assert.deepEqual(addresses, [['23.215.0.30'], ['10.0.0.5'], ['23.215.0.30']]);
  });

  test('hosts serve their fixtures, and the bootstrap file lists the hosts with faults', async () => {
    const reply = await internet.sendRequest('https://rdap.verisign.com/com/v1/domain/example.com');
    assert.equal(reply.headers['content-type'], 'application/rdap+json');
    assert.equal(reply.body.toString(), '{"objectClassName":"domain"}');
    const bootstrap = await internet.sendRequest('https://data.iana.org/rdap/dns.json');
    assert.ok(bootstrap.body.includes('[["rdap-429"],["https://429.rdap.test/"]]'));
    const again = await internet.sendRequest('https://data.iana.org/rdap/dns.json', {
      headers: { 'if-none-match': bootstrap.headers.etag as string },
    });
    assert.equal(again.status, 304);
    assert.equal((await internet.sendRequest('https://429.rdap.test/domain/x')).headers['retry-after'], '30');
  });

  test('sets and removes a fault of a host', async () => {
    await internet.change('data.iana.org', '500');
    assert.equal(await failure('https://data.iana.org/rdap/dns.json'), 500);
    await internet.change('data.iana.org', 'reset-at-once');
    assert.equal(await failure('https://data.iana.org/rdap/dns.json'), 'ECONNRESET');
    await internet.change('data.iana.org', null);
    assert.equal(await failure('https://data.iana.org/rdap/dns.json'), 200);
  });

  test('several simulated internets run concurrently and leave nothing behind', async () => {
    await internet.decoyHits();
    const others = await Promise.all([openInternet(), openInternet()]);
    await Promise.all(others.map(({ sendRequest }) => sendRequest('http://10.0.0.5/')));
    assert.deepEqual(
      (await Promise.all(others.map(({ decoyHits }) => decoyHits()))).map(({ length }) => length),
      [1, 1],
    );
    assert.deepEqual(await internet.decoyHits(), []);
    // A program, and a child that it leaves behind.
    const [{ caFile, spawn: spawnInside }] = others;
    const program = spawnInside('sh', ['-c', `sh -c "sleep 60; : ${caFile}" & echo begun; sleep 60`], {
      stdio: 'pipe',
    });
    await once(program.stdout ?? assert.fail(), 'data');
    await Promise.all(others.map(({ close }) => close()));
    assert.equal(program.signalCode, 'SIGKILL');
    for (const { caFile, sendRequest } of others) {
      assert.deepEqual(remainsOf(caFile), []);
      await assert.rejects(sendRequest('http://bare.test/'));
    }
  });

  test('a killed test ends its simulated internet', async () => {
    const file = JSON.stringify(join(import.meta.dirname, 'internet.ts'));
    const program = `const { openInternet } = await import(${file});
      const internet = await openInternet();
      internet.spawn('sleep', ['61'], { stdio: 'ignore', env: { ...process.env, INTERNET: internet.caFile } });
      console.log(internet.caFile);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed] = await once(child.stdout, 'data');
    const caFile = String(printed).trim();
    assert.notDeepEqual(remainsOf(caFile), []);
    child.kill('SIGKILL');
    await until(() => remainsOf(caFile).length === 0);
  });
});

/** The remaining folder and processes of a simulated internet. */
function remainsOf(caFile: string): readonly string[] {
  const folder = dirname(caFile);
  const mentionsFolder = (file: string) => {
    try {
      return readFileSync(file, 'latin1').includes(folder);
    } catch {
      return false;
    }
  };
  const processes = globSync('/proc/[0-9]*/{cmdline,environ}').filter(mentionsFolder);
  return existsSync(folder) ? [folder, ...processes] : processes;
}
