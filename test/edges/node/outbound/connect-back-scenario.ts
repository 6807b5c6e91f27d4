/**
 * Port checks of services in one network namespace, requested by clients in another one. Prints the responses as JSON, and every connection
 * that arrived at the clients. Argument: the process id of the namespace of the clients.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { prefixOf } from '../../../../src/core/address.ts';
import type { Settings } from '../../../../src/core/settings.ts';
import { startNode } from '../../../node-service.ts';
import { runToEnd } from '../../../quic-clients.ts';

const v4 = '31.0.0.2';
const otherV4 = '31.0.0.3';
const v6 = '2a00:1::2';
const otherV6 = '2a00:1::3';

const [peer = ''] = process.argv.slice(2);
const inPeer = (command: readonly string[]) => spawn('nsenter', ['--net', '-t', peer, ...command]);

/** Prints address, port and received bytes of each connection, when it has ended. */
const listenerProgram = `
  const server = require('node:net').createServer((socket) => {
    const { localAddress, localPort } = socket;
    let bytes = 0;
    socket.on('data', (chunk) => { bytes += chunk.length; });
    socket.on('close', () => console.log(JSON.stringify([localAddress.replace('::ffff:', ''), bytes])));
    socket.on('error', () => {});
  });
  server.listen(80, '::', () => console.log('ready'));
`;
const listener = inPeer([process.execPath, '-e', listenerProgram]);
const lines = createInterface(listener.stdout)[Symbol.asyncIterator]();
await lines.next();
/** Address of a client at which a connection arrived, and the bytes that it received. */
const arrival = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? 'null');

/** Status, and the state or the error, of a request that curl sends from an address of the clients. */
async function request(url: string, from: string, ...options: readonly string[]): Promise<unknown> {
  const { printed } = await runToEnd(
    inPeer(['curl', '-sS', '-w', '\n%{http_code}', '--interface', from, ...options, url]),
  );
  const [body = '', status] = printed.split(/\n(?=\d+$)/);
  const { ip, state, error, message } = body === '' ? {} : JSON.parse(body);
  return [Number(status), ...(error === undefined ? [ip, state] : [error, message])];
}

const proxiedProgram = `
  const [port, localAddress, client] = process.argv.slice(1);
  const socket = require('node:net').connect({ host: '31.0.0.1', port, localAddress });
  socket.on('error', () => {}).pipe(process.stdout);
  socket.write('PROXY TCP4 ' + client + ' 31.0.0.1 4321 80\\r\\nGET /api/port?port=80 HTTP/1.1\\r\\nHost: 31.0.0.1\\r\\nConnection: close\\r\\n\\r\\n');
`;

/** Status, and address and state, of a request after a PROXY header that names another address. */
async function sendWithHeader(port: string, from: string): Promise<unknown> {
  const { printed } = await runToEnd(inPeer([process.execPath, '-e', proxiedProgram, port, from, otherV4]));
  const { ip, state } = JSON.parse(/\{.*\}/s.exec(printed)?.[0] ?? '{}');
  return [Number(/^HTTP\/1.1 (\d+)/.exec(printed)?.[1]), ip, state];
}

/** Runs the requests to a service with these settings; `port` is the service's. */
async function withService(settings: Partial<Settings>, run: (port: string) => Promise<void>): Promise<void> {
  const service = await startNode({ tlsPort: null, portCheck: true, ...settings });
  await run(new URL(`${service.http}`).port);
  await service.close();
}

const results: Record<string, unknown> = {};

await withService({ host: '::' }, async (port) => {
  const urlOf = (host: string, checked: string) => `http://${host}:${port}/api/port?port=${checked}`;
  const families = [
    ['IPv4', '31.0.0.1', v4],
    ['IPv6', '[2a00:1::1]', v6],
  ] as const;
  const checks = families.flatMap(([family, host, from]) =>
    ['80', '81', '82', '83', '84', '85', '86', '87'].map(async (checked) => {
      results[`${family} ${checked}`] = await request(urlOf(host, checked), from);
    }),
  );
  await Promise.all(checks);
  results['both, arrived'] = [await arrival(), await arrival()].toSorted();
  const forged = ['X-Forwarded-For', 'X-Real-IP', 'CF-Connecting-IP', 'True-Client-IP', 'X-Client-IP', 'X-Forwarded'];
  const headers = [...forged.map((name) => `${name}: ${otherV4}`), `Forwarded: for=${otherV4}`, `Host: ${otherV4}`];
  const options = headers.flatMap((line) => ['-H', line]);
  const query = ['ip', 'host', 'address', 'q', 'url'].map((name) => `&${name}=${otherV4}`).join('');
  results['forged headers and query'] = await request(`${urlOf('31.0.0.1', '80')}${query}`, v4, ...options);
  results['forged, arrived'] = await arrival();
  results['two ports'] = await request(`${urlOf('31.0.0.1', '80')}&port=81`, v4);
  results.HEAD = await request(urlOf('31.0.0.1', '80'), v4, '-I', '-o', '/dev/null');
  results['cross-site'] = await request(urlOf('31.0.0.1', '80'), v4, '-H', 'Sec-Fetch-Site: cross-site');
});
// The proxy is another address of the clients; this one is not trusted.
const trustProxy = [prefixOf('31.0.0.9')];
await withService({ host: '::', trustProxy, proxyProtocol: true }, async (port) => {
  results['PROXY header of a stranger'] = await sendWithHeader(port, v4);
  results['PROXY header of the proxy'] = await sendWithHeader(port, '31.0.0.9');
  results['PROXY header of the proxy, arrived'] = await arrival();
});
// As in a container without IPv6; a proxy in front of it has it.
writeFileSync('/proc/sys/net/ipv6/conf/all/disable_ipv6', '1');
await withService({ host: '0.0.0.0', publicUrl: 'http://31.0.0.3', trustProxy }, async (port) => {
  const url = `http://31.0.0.1:${port}/api/port?port=80`;
  const through = (ip: string) => request(url, '31.0.0.9', '-H', `X-Forwarded-For: ${ip}`);
  results['without IPv6'] = await through(otherV6);
  results['no route'] = await through('45.0.0.1');
  results['own address'] = await through('31.0.0.1');
  results['own address on lo'] = await through('31.1.0.1');
  results['host of PUBLIC_URL'] = await through(otherV4);
  results['NAT64 of an own address'] = await through('64:ff9b::1f00:1');
  results['private address'] = await through('10.0.0.1');
  results['proxy that names no client'] = await request(url, '31.0.0.9');
});
listener.kill();
// Nothing but what was read has arrived.
results['arrived besides'] = (await lines.next()).value ?? null;
process.stdout.write(JSON.stringify(results));
