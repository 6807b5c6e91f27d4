/** The benchmark: the service beside a bare server in one run, its handshakes, memory, start and limiter, and the targets. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { answerOf } from './load.ts';
import { toolCalls } from './mcp.ts';
import {
  callerAddress,
  isolate,
  loadCore,
  located,
  runProgram,
  type ServerProcess,
  serverCore,
  startAsUser,
  startServer,
} from './process.ts';
import type { RateTableCost } from './rate-table.ts';
import { median, megabytes, printTargets, say, spread, table, target } from './report.ts';
import { compare, handshakes, requests } from './rounds.ts';
import type { CannedAnswer } from './server.ts';

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
  { name: '/ip from Chrome', path: '/ip', headers: chrome, printed: false, atLeast: 0.85 },
  { name: '/ip from curl', path: '/ip', headers: curl, printed: false, atLeast: 0.85 },
  { name: '/json from Chrome', path: '/json', headers: chrome, printed: false, atLeast: 0.62 },
  { name: '/json, bare prints the object', path: '/json', headers: chrome, printed: true, atLeast: 0.62 },
];

if (await isolate()) {
  // Not in the network and on the core of the rest: it has a world of its own, with several servers.
  await import('./lookups.ts');
} else {
  await run();
  if (existsSync(new URL('user-agent.ts', import.meta.url))) await runProgram('user-agent.ts');
}

async function run(): Promise<void> {
  say(`Node ${process.version}, ${cpus()[0]?.model.trim()}, ${cpus().length} cores`);
  say(
    serverCore === null
      ? 'Nothing is pinned here: load and server share the cores.'
      : `Server on core ${serverCore}, load on core ${loadCore}.`,
  );
  say(
    `Callers are ${located ? `${callerAddress}, in a network of their own` : 'loopback: there is NO LOCATION in these answers'}.`,
  );
  say('Limits of calls and connections are off for the load; the limiter is measured by itself below.');
  const service = await startServer({ role: 'service' });
  await requestsPerSecond(service);
  await tlsHandshakes(service);
  await memoryAndStart(service);
  await toolCalls(service);
  service.stop();
  await limiter();
  printTargets();
}

async function requestsPerSecond(service: ServerProcess): Promise<void> {
  say(
    '\nRequests over 32 kept-alive HTTP/1.1 connections; bare: node:http that sends the same bytes, held ready where not said otherwise',
  );
  const rows = [['', 'service /s', 'bare /s', 'share', 'service CPU', 'bare CPU', 'share', '(middle half)', 'busy']];
  for (const { name, path, headers, printed, atLeast } of cases) {
    const answer = await answer200(service, path, headers);
    const bare = await startServer({ role: 'bare', answers: { [path]: { ...answer, printed } } });
    const same = await answer200(bare, path, headers);
    if (JSON.stringify(same) !== JSON.stringify(answer)) throw new Error(`the bare server answers ${path} otherwise`);
    const call = { path, headers, body: null };
    const compared = await compare(
      [await requests(service, call), await requests(bare, call)],
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
    target(`${name}, requests per CPU second, share of bare`, cpuShare, { atLeast }, 2);
  }
  table(rows);
  say(
    '  busy: share of a core each server had. Targets are judged by CPU for a request: what requests per second come to',
  );
  say(
    '  when the core is the server’s alone, while what else runs here, the load too, moves the figures by the clock.',
  );
}

async function answer200(
  server: ServerProcess,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Omit<CannedAnswer, 'printed'>> {
  const { status, ...answer } = await answerOf({ host: callerAddress, port: server.ports.http, path, headers });
  if (status !== 200) throw new Error(`${path} was answered with ${status}`);
  return answer;
}

async function tlsHandshakes(service: ServerProcess): Promise<void> {
  say(
    '\nTLS 1.3 handshakes, nothing resumed; plain: http2.createSecureServer with allowHTTP1 and a certificate of the same kind',
  );
  const plain = await startServer({ role: 'secure' });
  const { cpuUs, cpuRatios } = await compare(
    [handshakes(service), handshakes(plain)],
    handshakeRounds,
    warmMs,
    roundMs,
  );
  plain.stop();
  const ratio = median(cpuRatios);
  table([
    ['', 'service', 'plain', 'ratio', '(middle half)'],
    ['CPU for one', ...cpuUs.map((us) => `${us.toFixed(0)} µs`), ratio.toFixed(3), spread(cpuRatios, 2)],
  ]);
  target('CPU for a TLS handshake, ratio to plain', ratio, { atMost: 1.05 }, 2);
}

async function memoryAndStart(service: ServerProcess): Promise<void> {
  const idle = await startServer({ role: 'service' });
  const { rssBytes: idleBytes } = await idle.usage();
  idle.stop();
  const { rssBytes } = await service.usage();
  const startMs: number[] = [];
  for (let each = 0; each <= starts; each += 1) startMs.push(await firstAnswerMs());
  // The first one warms the file cache.
  const [, ...warm] = startMs;
  say(
    '\nMemory with the embedded database, and start as `npm start` does it (HTTP, HTTPS with a new certificate, all cores)',
  );
  table([
    ['', 'median', '(middle half)'],
    ['resident after start', `${megabytes(idleBytes)} MB`, ''],
    ['resident after the load above', `${megabytes(rssBytes)} MB`, ''],
    ['from process start to 200 on /ip', `${median(warm).toFixed(0)} ms`, spread(warm, 0)],
  ]);
  target('resident memory after the load', rssBytes / 1e6, { atMost: 350 }, 0, ' MB');
  target('first answer after process start', median(warm) / 1000, { atMost: 1 }, 2, ' s');
}

async function firstAnswerMs(): Promise<number> {
  const began = performance.now();
  const child = startAsUser();
  try {
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    for await (const line of lines) {
      const port = /http:\/\/\S+:(\d+)$/.exec(line.trim())?.[1];
      if (port === undefined) continue;
      const { status } = await answerOf({ host: callerAddress, port: Number(port), path: '/ip', headers: curl });
      if (status !== 200) throw new Error(`the first answer was ${status}`);
      return performance.now() - began;
    }
    throw new Error('the service ended before it listened');
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

async function limiter(): Promise<void> {
  const cost = await runProgram<RateTableCost>('rate-table.ts', ['--expose-gc']);
  if (cost === undefined) throw new Error('the rate table was not measured');
  const { keyNs, allowedNs, refusedNs, unseenNs, fullBytes, afterMillionBytes, mostBytes, sizeAfterMillion } = cost;
  say('\nThe rate table by itself');
  table([
    ['', 'time', 'memory'],
    ['a call that is allowed', `${allowedNs.toFixed(0)} ns`, ''],
    ['a call that is refused', `${refusedNs.toFixed(0)} ns`, ''],
    ['the key of an address, once a connection', `${keyNs.toFixed(0)} ns`, ''],
    ['a call of an unseen address, table full, its key included', `${unseenNs.toFixed(0)} ns`, ''],
    [`just full`, '', `${megabytes(fullBytes)} MB`],
    [`after a million distinct addresses (${sizeAfterMillion} kept)`, '', `${megabytes(afterMillionBytes)} MB`],
    ['full of addresses that made every call they may', '', `${megabytes(mostBytes)} MB`],
  ]);
}
