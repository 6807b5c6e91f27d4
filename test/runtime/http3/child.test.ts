/** The process for HTTP/3: above its limits, those who hold most give way to others; and a certificate is renewed before it listens. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { keyExchangeGroups } from '../../../src/core/limits.ts';
import { bounds } from '../../../src/edges/node/limits/bounds.ts';
import { errorCodes } from '../../../src/ingress/http3/data/registries.ts';
import { createLocalhostCertificate } from '../../../src/runtime/certificate.ts';
import type { Http3Report, Http3Request } from '../../../src/runtime/http3/child.ts';
import type { ReportOf, RequestOf } from '../../../src/runtime/program/host.ts';
import { serve } from '../../ingress/serve.ts';
import { type AttackConnection, connectAttacker, pause } from '../../quic-attacker.ts';
import { openConnections } from '../../quic-clients.ts';
import { until } from '../../until.ts';
import type { WordCount } from './shared-memory.ts';

const program = fileURLToPath(new URL('../../../src/runtime/http3/child.ts', import.meta.url));

const sharedMemory = new URL('shared-memory.ts', import.meta.url);

const skip = process.platform === 'linux' ? false : 'needs Linux';

type Report = ReportOf<Http3Report> | WordCount;

/** Starts the process with these limits, until the end of the test. */
async function startChild(
  context: TestContext,
  {
    memoryMb = 0,
    maxConnections = 0,
    connectionRate = 0,
    port = 0,
  }: Partial<Record<'memoryMb' | 'maxConnections' | 'connectionRate' | 'port', number>>,
) {
  const { socketPath } = await serve(context, () => {});
  const folder = await mkdtemp(join(tmpdir(), 'seenby-child-'));
  symlinkSync(socketPath, join(folder, '1'));
  const execArgv = ['--disable-warning=ExperimentalWarning', `--import=${sharedMemory}`];
  const child = fork(program, { execArgv, serialization: 'advanced' });
  const ended = once(child, 'exit');
  const reports: Report[] = [];
  child.on('message', (report: Report) => void reports.push(report));
  const send = (request: RequestOf<Http3Request> | { kind: 'words' }): void => void child.send(request);
  context.after(async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  const reported = <Kind extends Report['kind']>(kind: Kind) =>
    until(() => reports.find((report): report is Extract<Report, { kind: Kind }> => report.kind === kind));
  const countWords = async (): Promise<number> => {
    reports.length = 0;
    send({ kind: 'words' });
    return (await reported('words')).count;
  };
  const settings = {
    host: '127.0.0.1',
    reusePort: port !== 0,
    tlsGroups: keyExchangeGroups,
    connectionRate,
    maxConnections,
    maxConnectionsPerAddress: 0,
  };
  // With a limit that is too low, memory is full from the first check on, which comes after the first connections.
  const start = {
    settings,
    port,
    memoryMb,
    bounds: { ...bounds, memoryCheckMs: 2_000, pruneMs: 5 },
    certificate: await createLocalhostCertificate(),
    folder,
    threads: 1,
  };
  send({ kind: 'start', start });
  return { send, reported, countWords, ended };
}

/** Starts the process with four connections of one network. */
async function startWithHolders(...given: Parameters<typeof startChild>) {
  const child = await startChild(...given);
  const { port } = await child.reported('listening');
  assert.ok(port !== null);
  const holders: AttackConnection[] = [];
  for (let count = 0; count < 4; count += 1) {
    const holder = await connectAttacker(port, '127.0.0.5');
    assert.ok(holder !== null);
    holders.push(holder);
  }
  const closeCodes = async (): Promise<number[]> => {
    for (const each of holders) each.handle();
    await pause(5);
    return holders.map(({ closeCode }) => closeCode).filter((code) => code !== -1);
  };
  return { ...child, port, holders, closeCodes };
}

test('while its memory is full, a new client takes the place of one of those that hold most', {
  skip,
}, async (context) => {
  const child = await startWithHolders(context, { memoryMb: 1 });
  const { port, holders, closeCodes, send, reported } = child;
  const notice = (await reported('notice')) as Extract<ReportOf<Http3Report>, { kind: 'log' | 'notice' }>;
  const [event, message] = notice.args;
  assert.match(`${event}: ${message}`, /^http3_memory_full: .* over HTTP\/3: \d+ MiB .* own limit is 1; see docs/);
  const honest = await connectAttacker(port, '127.0.1.1');
  assert.ok(honest !== null, 'a client of another network was rejected');
  await until(async () => (await closeCodes()).length > 0);
  assert.deepEqual(await closeCodes(), [errorCodes.excessiveLoad]);
  const further = await connectAttacker(port, '127.0.0.5');
  // Its handshake has proven its address.
  await until(() => {
    further?.handle();
    return further?.isClosed !== false;
  });
  assert.equal(further?.closeCode ?? errorCodes.excessiveLoad, errorCodes.excessiveLoad);
  assert.equal(honest.isClosed, false);

  send({ kind: 'ping' });
  const { usage } = await reported('pong');
  assert.ok((usage.memoryBytes ?? 0) > 2 ** 20 && usage.cpuSeconds > 0);
  for (const each of [honest, ...holders]) each.close();
  send({ kind: 'close', withinMs: 0 });
  await child.ended;
});

test('with all connections in use, a new client takes the place of one without a request of those that hold most', {
  skip,
}, async (context) => {
  const { port, holders, closeCodes } = await startWithHolders(context, { maxConnections: 4 });
  const honest = await connectAttacker(port, '127.0.1.1');
  assert.ok(honest !== null, 'a client of another network was rejected');
  await until(async () => (await closeCodes()).length > 0);
  assert.deepEqual(await closeCodes(), [errorCodes.noError]);
  for (const each of [honest, ...holders]) each.close();
});

test('uses a certificate that was renewed while it waited for its port', { skip }, async (context) => {
  const other = createSocket('udp4').bind(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address();
  const { send, reported } = await startChild(context, { port });
  await reported('waiting');
  const { cert, key } = await createLocalhostCertificate();
  send({ kind: 'certificate', certificate: { cert, key } });
  send({ kind: 'ping' });
  await reported('pong');
  other.close();
  assert.deepEqual(await reported('listening'), { kind: 'listening', port });
  await using connection = await openConnections(port, 1);
  assert.deepEqual(connection.certificates, [createHash('sha256').update(new X509Certificate(cert).raw).digest('hex')]);
});

test('removes the key of a client when its rate is full again', { skip }, async (context) => {
  const { reported, countWords } = await startChild(context, { connectionRate: 100 });
  const { port } = await reported('listening');
  assert.equal(await countWords(), 0);
  const client = await connectAttacker(port ?? 0, '127.0.0.5');
  assert.ok(client !== null);
  await until(async () => (await countWords()) > 0);
  // Ends the handshake, so that the process notices the end of the connection.
  client.handle();
  client.close();
  // One stays: the mark that the connections by client must be looked at.
  await until(async () => (await countWords()) === 1);
});
