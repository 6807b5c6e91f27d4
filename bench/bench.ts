/** The benchmark: the service compared with a bare server in one run; handshakes, memory, startup, rate limiter and targets. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { responseTo } from './load.ts';
import { compareToolCalls } from './mcp.ts';
import {
  clientAddress,
  hasLocation,
  isolate,
  loadCore,
  runProgram,
  type ServerProcess,
  serverCore,
  startAsUser,
  startServer,
} from './process.ts';
import type { RateTableCost } from './rate-table.ts';
import { addTarget, median, megabytes, printLine, printTable, printTargets, spread } from './report.ts';
import { compare, handshakeSide, requestSide } from './rounds.ts';
import type { CannedResponse } from './server.ts';

const rounds = 7;
const warmMs = 1000;
const roundMs = 500;
const handshakeRounds = 9;
const starts = 5;

const host = { Host: 'seenby.example' };
const curl = { ...host, 'User-Agent': 'curl/8.16.0', Accept: '*/*' };
const chrome = {
  ...host,
  Connection: 'keep-alive',
  'sec-ch-ua': '"Chromium";v="156", "Google Chrome";v="156", "Not_A Brand";v="24"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"Windows"',
  'Upgrade-Insecure-Requests': '1',
  'User-Agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  Accept:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  'Sec-Fetch-Site': 'none',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-User': '?1',
  'Sec-Fetch-Dest': 'document',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  'Accept-Language': 'en-GB,en-US;q=0.9,en;q=0.8',
};

const cases = [
  { name: '/ip from Chrome', path: '/ip', headers: chrome, serialized: false, atLeast: 0.85 },
  { name: '/ip from curl', path: '/ip', headers: curl, serialized: false, atLeast: 0.85 },
  { name: '/json from Chrome', path: '/json', headers: chrome, serialized: false, atLeast: 0.62 },
  { name: '/json, bare serializes the object', path: '/json', headers: chrome, serialized: true, atLeast: 0.62 },
  { name: '/fingerprint from Chrome', path: '/fingerprint', headers: chrome, serialized: false, atLeast: null },
];

if (await isolate()) {
  // Outside the isolated network and core: the simulated internet has a network of its own, with several servers.
  await import('./lookups.ts');
} else {
  await run();
  if (existsSync(new URL('user-agent.ts', import.meta.url))) await runProgram('user-agent.ts');
}

async function run(): Promise<void> {
  printLine(`Node ${process.version}, ${cpus()[0]?.model.trim()}, ${cpus().length} cores`);
  printLine(
    serverCore === null
      ? 'This system cannot pin processes: load and server share the cores.'
      : `Server on core ${serverCore}, load on core ${loadCore}.`,
  );
  printLine(
    `Client address: ${hasLocation ? `${clientAddress}, in a network namespace` : 'loopback, so these responses contain NO LOCATION'}.`,
  );
  printLine('All limits are off; the rate limiter is measured separately below.');
  const service = await startServer({ role: 'service' });
  await compareRequests(service);
  await compareHandshakes(service);
  await measureMemoryAndStart(service);
  await compareToolCalls(service);
  service.stop();
  await measureRateTable();
  printTargets();
}

async function compareRequests(service: ServerProcess): Promise<void> {
  printLine(
    '\nRequests over 32 keep-alive HTTP/1.1 connections; bare: a node:http server that sends the same bytes, prepared unless stated otherwise',
  );
  const rows = [['', 'service /s', 'bare /s', 'share', 'service CPU', 'bare CPU', 'share', '(middle half)', 'busy']];
  for (const { name, path, headers, serialized, atLeast } of cases) {
    const response = await expect200(service, path, headers);
    const bare = await startServer({ role: 'bare', responses: { [path]: { ...response, serialized } } });
    const bareResponse = await expect200(bare, path, headers);
    if (JSON.stringify(bareResponse) !== JSON.stringify(response))
      throw new Error(`${path}: the bare server's response differs`);
    const request = { path, headers, body: null };
    const compared = await compare(
      [await requestSide(service, request), await requestSide(bare, request)],
      rounds,
      warmMs,
      roundMs,
    );
    bare.stop();
    const cpuShare = 1 / median(compared.cpuRatios);
    rows.push([
      name,
      ...compared.perSecond.map((perSecond) => perSecond.toFixed(0)),
      median(compared.rateRatios).toFixed(2),
      ...compared.cpuUs.map((us) => `${us.toFixed(1)} µs`),
      cpuShare.toFixed(2),
      spread(
        compared.cpuRatios.map((ratio) => 1 / ratio),
        2,
      ),
      compared.busy.map((each) => each.toFixed(2)).join(' '),
    ]);
    if (atLeast !== null) addTarget(`${name}, requests per CPU second, share of bare`, cpuShare, { atLeast }, 2);
  }
  printTable(rows);
  printLine(
    '  busy: the share of a core that each server used. Targets apply to CPU time per request: requests per second also',
  );
  printLine('  depend on what else runs on this machine, the load included.');
}

async function expect200(
  server: ServerProcess,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Omit<CannedResponse, 'serialized'>> {
  const { status, ...response } = await responseTo({ host: clientAddress, port: server.ports.http, path, headers });
  if (status !== 200) throw new Error(`${path}: status ${status}`);
  return response;
}

async function compareHandshakes(service: ServerProcess): Promise<void> {
  printLine(
    '\nFull TLS 1.3 handshakes, without resumption; plain: http2.createSecureServer with allowHTTP1 and a certificate of the same kind',
  );
  const plain = await startServer({ role: 'secure' });
  const { cpuUs, cpuRatios } = await compare(
    [handshakeSide(service), handshakeSide(plain)],
    handshakeRounds,
    warmMs,
    roundMs,
  );
  plain.stop();
  const ratio = median(cpuRatios);
  printTable([
    ['', 'service', 'plain', 'ratio', '(middle half)'],
    ['CPU per handshake', ...cpuUs.map((us) => `${us.toFixed(0)} µs`), ratio.toFixed(3), spread(cpuRatios, 2)],
  ]);
  addTarget('CPU for a TLS handshake, ratio to plain', ratio, { atMost: 1.05 }, 2);
}

async function measureMemoryAndStart(service: ServerProcess): Promise<void> {
  const idle = await startServer({ role: 'service' });
  const { rssBytes: idleBytes } = await idle.usage();
  idle.stop();
  const { rssBytes } = await service.usage();
  const startMs: number[] = [];
  for (let each = 0; each <= starts; each += 1) startMs.push(await measureStart());
  // The first start warms the file cache.
  const [, ...warm] = startMs;
  printLine(
    '\nMemory with the embedded database, and startup as by `npm start` (HTTP, HTTPS with a new certificate, all cores)',
  );
  printTable([
    ['', 'median', '(middle half)'],
    ['resident after startup', `${megabytes(idleBytes)} MB`, ''],
    ['resident after the load above', `${megabytes(rssBytes)} MB`, ''],
    ['from process start to 200 on /ip', `${median(warm).toFixed(0)} ms`, spread(warm, 0)],
  ]);
  addTarget('resident memory after the load', rssBytes / 1e6, { atMost: 350 }, 0, ' MB');
  addTarget('first response after process start', median(warm) / 1000, { atMost: 1 }, 2, ' s');
}

/** Returns the milliseconds from process start to the first response. */
async function measureStart(): Promise<number> {
  const began = performance.now();
  const child = startAsUser();
  try {
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    for await (const line of lines) {
      const port = /http:\/\/\S+:(\d+)$/.exec(line.trim())?.[1];
      if (port === undefined) continue;
      const { status } = await responseTo({ host: clientAddress, port: Number(port), path: '/ip', headers: curl });
      if (status !== 200) throw new Error(`/ip: status ${status}`);
      return performance.now() - began;
    }
    throw new Error('the service ended before it listened');
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

async function measureRateTable(): Promise<void> {
  const cost = await runProgram<RateTableCost>('rate-table.ts', ['--expose-gc']);
  if (cost === undefined) throw new Error('the rate table was not measured');
  const { keyNs, allowedNs, rejectedNs, newAddressNs, fullBytes, afterMillionBytes, mostBytes, sizeAfterMillion } =
    cost;
  printLine('\nThe rate table, measured separately');
  printTable([
    ['', 'time', 'memory'],
    ['an allowed request', `${allowedNs.toFixed(0)} ns`, ''],
    ['a rejected request', `${rejectedNs.toFixed(0)} ns`, ''],
    ['the key of an address, once per connection', `${keyNs.toFixed(0)} ns`, ''],
    ['a request from a new address, table full, including its key', `${newAddressNs.toFixed(0)} ns`, ''],
    ['table just full', '', `${megabytes(fullBytes)} MB`],
    [`after a million distinct addresses (${sizeAfterMillion} stored)`, '', `${megabytes(afterMillionBytes)} MB`],
    ['full of addresses with no requests left', '', `${megabytes(mostBytes)} MB`],
  ]);
}
