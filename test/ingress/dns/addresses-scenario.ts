/**
 * A DNS server on port 53 of a machine with several addresses and a resolver of its own, as systemd has one: runs in a network namespace, with
 * dig in another one beside it. Prints as JSON what each address has answered. Argument: the process id of the other namespace.
 */
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { DnsServer } from '../../../src/ingress/dns/server.ts';
import { until } from '../../until.ts';
import { optionsOf, zone } from './dns-server.ts';

const [peer = ''] = process.argv.slice(2);
const run = promisify(execFile);

// systemd-resolved listens there.
const stubAddress = '127.0.0.53';
createSocket('udp4').bind(53, stubAddress).unref();
createServer().listen(53, stubAddress).unref();

/** The transport that the server has seen, the address that dig has seen being fixed by it; what failed otherwise. */
async function ask(address: string, transport: '+notcp' | '+tcp'): Promise<string> {
  const dig = ['dig', `@${address}`, transport, '+short', '+tries=1', '+time=5', `whoami.${zone}`, 'TXT'];
  try {
    const { stdout } = await run('nsenter', ['--net', '-t', peer, ...dig]);
    return /"transport=(\w+)"/.exec(stdout)?.[1] ?? stdout;
  } catch (error) {
    return String(error);
  }
}

const server = new DnsServer(optionsOf({ port: 53, hosts: [] }, { addressesMs: 100, addressRetryMs: 100 }).options);
await server.listen();
const answered: Record<string, readonly string[]> = {};
for (const address of ['10.9.0.1', '10.9.0.2', 'fd09::1', '192.0.2.9'])
  answered[address] = [await ask(address, '+notcp'), await ask(address, '+tcp')];
// The machine gets a further address, which the server looks for at intervals, and loses one.
await run('ip', ['addr', 'add', '10.9.0.3/24', 'dev', 'inside']);
await run('ip', ['addr', 'del', '10.9.0.2/24', 'dev', 'inside']);
await until(async () => (await ask('10.9.0.3', '+notcp')) === 'udp');
answered['10.9.0.1, still'] = [await ask('10.9.0.1', '+notcp'), await ask('10.9.0.1', '+tcp')];
await server.close(0);
process.stdout.write(JSON.stringify(answered));
