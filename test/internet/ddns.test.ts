/** Clients that update DNS records, on a network with both IP versions: docs/compatibility.md gives them a name with only an A record. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { isInstalled } from '../acceptance/proxies.ts';
import { until } from '../until.ts';
import { type SimulatedInternet, skipWithoutInternet } from './internet.ts';
import { type SimulatedService, serveIn } from './service.ts';
import { sharedInternet } from './shared.ts';

const dual = 'seenby.test:8080';
const onlyIpv4 = 'v4.seenby.test:8080';
/** Programs in the simulated internet connect from the address to which they connect. */
const ipv4 = '203.0.114.10';
/** Address of `checkip.dyndns.org`. */
const dyndns = '203.0.114.11';

describe('with IPv4 and IPv6', { skip: skipWithoutInternet() }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-ddns-'));
  let internet: SimulatedInternet;
  let service: SimulatedService;
  before(async () => {
    internet = await sharedInternet();
    service = await serveIn(internet, { HOST: '::', TRUST_PROXY: '127.0.0.1' });
  });
  after(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  const run = async (command: string, args: readonly string[]): Promise<string> => {
    const child = internet.spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    const printed = text(child.stdout ?? assert.fail());
    if (child.exitCode === null) await once(child, 'exit');
    return printed;
  };

  /** The addresses that a client sends to its provider. */
  const updates = async (command: string, args: readonly string[]): Promise<readonly (string | null)[]> => {
    await internet.arrivals();
    await run(command, args);
    return (await internet.arrivals()).map(({ path }) => new URL(path, 'http://ddns.test').searchParams.get('myip'));
  };

  /** Configures ddclient and inadyn for a service, in a new folder. */
  const programs = {
    ddclient(service: string) {
      const own = mkdtempSync(join(folder, 'ddclient-'));
      const file = join(own, 'ddclient.conf');
      const found = `usev4=webv4, webv4=${service}`;
      const provider = 'protocol=dyndns2, server=ddns.test, login=u, password=p';
      writeFileSync(file, `ssl=no\n${found}\n${provider} host.example\n`, { mode: 0o600 });
      return ['-daemon=0', '-foreground', '-file', file, '-cache', join(own, 'cache'), '-pid', join(own, 'pid')];
    },
    inadyn(service: string) {
      const own = mkdtempSync(join(folder, 'inadyn-'));
      const file = join(own, 'inadyn.conf');
      const settings = [
        ...['ssl = false', 'username = u', 'password = p', 'hostname = host.example'],
        ...[
          `checkip-server = ${new URL(service).host}`,
          `checkip-path = ${new URL(service).pathname}`,
          'checkip-ssl = false',
        ],
        ...['ddns-server = ddns.test', 'ddns-path = "/update?myip=%i"'],
      ];
      writeFileSync(file, `period = 300\ncustom seenby {\n${settings.join('\n')}\n}\n`);
      return ['-n', '-1', '-f', file, `--cache-dir=${own}`, '--no-pidfile'];
    },
  };

  for (const [program, configure] of Object.entries(programs)) {
    const skip = !isInstalled(program) && !process.env.CI && `needs ${program}`;
    test(`${program} updates the IPv4 address by a name with only an A record`, { skip }, async () => {
      assert.deepEqual(await updates(program, configure(`http://${onlyIpv4}/as/plain`)), [ipv4]);
      // ddclient connects over IPv4 in any case.
      assert.deepEqual(await updates(program, configure(`http://${dual}/as/plain`)), [
        program === 'ddclient' ? ipv4 : '',
      ]);
    });
  }

  const skip = !(isInstalled('ddclient') && isInstalled('nginx')) && !process.env.CI && 'needs ddclient and nginx';
  test('ddclient updates the address that it finds at its own service, whose name leads to nginx', {
    skip,
  }, async () => {
    const file = join(folder, 'nginx.conf');
    const shipped = readFileSync(new URL('../../docs/deploy/nginx-names.conf', import.meta.url), 'utf8');
    writeFileSync(file, shipped.replace('listen 80;', `listen ${dyndns}:80;`).replace('listen [::]:80;', ''));
    const nginx = internet.spawn('nginx', ['-p', folder, '-c', file, '-e', 'stderr', '-g', 'daemon off; pid pid;']);
    const request = () => internet.sendRequest(`http://${dyndns}/`).catch(() => null);
    await until(request, 20);
    assert.deepEqual(await updates('ddclient', programs.ddclient('dyndns')), [dyndns]);
    nginx.kill();
    await once(nginx, 'exit');
  });

  test('public-ip finds the IPv4 address by a name with only an A record, and not by one with both', async () => {
    const script = `
      import { publicIpv4 } from '${import.meta.resolve('public-ip')}';
      const find = (host) => publicIpv4({ onlyHttps: true, fallbackUrls: ['http://' + host + '/as/plain'] });
      console.log(JSON.stringify([await find('${onlyIpv4}'), await find('${dual}').catch(({ name }) => name)]));`;
    assert.deepEqual(JSON.parse(await run(process.execPath, ['--input-type=module', '-e', script])), [
      ipv4,
      'IpNotFoundError',
    ]);
  });
});
