/** `seenby zone check` in the simulated internet: a zone that is delegated to a server, and what is wrong before it is. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { before, describe, test } from 'node:test';
import { type SimulatedInternet, skipWithoutInternet } from './internet.ts';
import { sharedInternet } from './shared.ts';

const zone = 'dns.unsigned.com';
const address = '199.43.135.56';
const maxAttempts = 5;
const here = (path: string): string => new URL(path, import.meta.url).href;

const serverProgram = `
  import { DnsServer } from '${here('../../src/ingress/dns/server.ts')}';
  import { createZone } from '${here('../../src/edges/dns/zone.ts')}';
  import { optionsOf } from '${here('../ingress/dns/dns-server.ts')}';
  const { answer } = createZone({ zone: '${zone}', nameServers: ['ns.unsigned.com'], addresses: ['${address}'] });
  await new DnsServer(optionsOf({ port: 53, hosts: ['${address}'], answer }).options).listen();
  console.log('listening');
`;
const commandProgram = `import { run } from '${here('../../src/cli/run.ts')}'; await run(process.argv.slice(1));`;

describe('zone check in the simulated internet', { skip: skipWithoutInternet() }, () => {
  let internet: SimulatedInternet;
  before(async () => {
    internet = await sharedInternet();
  });

  const start = (program: string, args: readonly string[] = []) =>
    internet.spawn(process.execPath, ['--input-type=module', '-e', program, '--', ...args], {
      env: { PATH: process.env.PATH, DATA_DIR: 'test-output/internet-data' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const checkOnce = async (name: string) => {
    const settings = ['--dns-zone', name, '--dns-name-servers', 'ns.unsigned.com', '--dns-addresses', address];
    const child = start(commandProgram, ['zone', 'check', ...settings]);
    assert.ok(child.stdout !== null);
    const [printed, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return { lines: printed.trimEnd().split('\n'), exitCode };
  };
  /** On a busy machine, the simulated resolvers may take longer than a lookup waits. */
  const check = async (name: string) => {
    let found = await checkOnce(name);
    for (let attempt = 1; attempt < maxAttempts && found.lines.length < 4; attempt += 1) found = await checkOnce(name);
    return found;
  };

  test('states which record and which server is missing', async () => {
    const { lines, exitCode } = await check('missing.unsigned.com');
    assert.equal(exitCode, 1);
    assert.deepEqual(lines, [
      'failed   missing.unsigned.com is not delegated; add to its parent zone "missing.unsigned.com. NS ns.unsigned.com."',
      `failed   ${address} port 53 over UDP is closed; start the service with DNS_ZONE, and forward port 53 to DNS_PORT`,
      `failed   ${address} port 53 over TCP is closed; start the service with DNS_ZONE, and forward port 53 to DNS_PORT`,
      'failed   whoami.missing.unsigned.com does not resolve through cloudflare-dns.com (NXDOMAIN); see the failures above',
      'unknown  the servers of the parent zone of missing.unsigned.com do not respond to this machine',
      `ok       ns.unsigned.com has ${address}`,
    ]);
  });

  test('shows the resolver when everything is there, and that another zone is served', async () => {
    const server = start(serverProgram);
    await once(server.stdout as NodeJS.ReadableStream, 'data');
    const { lines, exitCode } = await check(zone);
    assert.equal(exitCode, 0, lines.join('\n'));
    assert.deepEqual(lines.slice(0, 4), [
      `ok       ns.unsigned.com has ${address}`,
      `ok       resolvers find ${zone}, with NS ns.unsigned.com`,
      `ok       ${address} port 53 over UDP answers for the zone`,
      `ok       ${address} port 53 over TCP answers for the zone`,
    ]);
    assert.match(
      lines[4] ?? '',
      /^ok {7}whoami\.dns\.unsigned\.com resolves through cloudflare-dns\.com: address=\S+ port=\d+ transport=udp /,
    );
    assert.equal(lines.length, 5);
    const other = await check('missing.unsigned.com');
    assert.match(other.lines[1] ?? '', /^failed .* over UDP responds, but not for the zone; /);
    server.kill();
  });
});
