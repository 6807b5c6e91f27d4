/** Outbound requests are bounded in every response that they receive. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { generate } from 'selfsigned';
import { createOutbound } from '../../../../src/edges/node/outbound/outbound.ts';
import { ingressBounds as bounds } from '../../../../src/ingress/bounds.ts';
import { Scheduler } from '../../../../src/ingress/schedule/scheduler.ts';
import { threadMs } from '../../../../src/native/thread-clock.ts';
import { createLocalhostCertificate } from '../../../../src/runtime/certificate.ts';
import { runWithoutFiles } from '../../../no-files.ts';
import type { TogetherServer } from './together-server.ts';

/** Requests a server that sends these octets to each connection; `isEndless`: again and again, as fast as they are read. */
async function fetchFrom(context: TestContext, octets: string, isEndless = false) {
  const send = (socket: Socket): void => {
    if (isEndless) while (!socket.destroyed && socket.write(octets));
    else socket.write(octets);
  };
  const server = createServer((socket) => {
    socket.on('error', () => {}).on('drain', () => send(socket));
    socket.once('data', () => send(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const outbound = createOutbound();
  context.after(async () => {
    await outbound.end();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const request = { method: 'GET', url, headers: {}, body: null, timeoutMs: 1_999.5, maxBodyBytes: 0 } as const;
  return outbound.fetch(request);
}

const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n';
const final = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

test('accepts eight informational responses, and not a ninth', async (context) => {
  const accepted = await fetchFrom(context, hint.repeat(8) + final);
  assert.equal('status' in accepted && accepted.status, 200);
  assert.deepEqual(await fetchFrom(context, hint.repeat(9) + final), { failure: 'informational' });
});

test('ends a request to a server that sends informational responses without end', async (context) => {
  assert.deepEqual(await fetchFrom(context, hint.repeat(1_000), true), { failure: 'informational' });
});

test('tells several different Location headers from one that is repeated', async (context) => {
  const locationIn = async (...locations: string[]) => {
    const fields = locations.map((location) => `Location: ${location}\r\n`).join('');
    const response = await fetchFrom(context, `HTTP/1.1 302 Found\r\n${fields}Content-Length: 0\r\n\r\n`);
    assert.ok('status' in response);
    return [response.headers.location, response.hasSeveralLocations ?? false];
  };
  assert.deepEqual(await locationIn('https://a.example/', 'https://b.example/'), [
    'https://a.example/, https://b.example/',
    true,
  ]);
  assert.deepEqual(await locationIn('https://a.example/', 'https://a.example/'), ['https://a.example/', false]);
  assert.deepEqual(await locationIn('https://a.example/'), ['https://a.example/', false]);
});

test('accepts 32 KB of headers in all responses together', async (context) => {
  const large = `HTTP/1.1 103 Early Hints\r\nLink: ${'a'.repeat(8_000)}\r\n\r\n`;
  const accepted = await fetchFrom(context, large.repeat(4) + final);
  assert.equal('status' in accepted && accepted.status, 200);
  assert.deepEqual(await fetchFrom(context, large.repeat(5) + final), { failure: 'too_large' });
  const last = `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(8_000)}\r\nContent-Length: 0\r\n\r\n`;
  assert.deepEqual(await fetchFrom(context, large.repeat(4) + last), { failure: 'too_large' });
});

test('the first requests fail with overloaded while no file descriptor is left, and later ones succeed', {
  skip: process.platform === 'win32',
}, () => {
  const source = new URL('../../../../src/edges/node/outbound/outbound.ts', import.meta.url);
  const { status, printed } = runWithoutFiles(`
    import { once } from 'node:events';
    import { createServer } from 'node:http';
    import { createOutbound } from ${JSON.stringify(source)};
    const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const outbound = createOutbound({ addressesOf: async () => [{ address: '127.0.0.1', family: 4 }] });
    const url = 'http://127.0.0.1:' + server.address().port + '/';
    const request = { method: 'GET', url, headers: {}, body: null, timeoutMs: 30_000, maxBodyBytes: 100 };
    const send = async () => {
      const results = await Promise.all([outbound.fetch(request), outbound.fetchPublic(request)]);
      console.log(...results.map(({ failure, status }) => failure ?? status));
    };
    await withoutFiles(send);
    await send();
    await outbound.end();
    server.close();`);
  assert.deepEqual([printed, status], ['overloaded overloaded\n200 200\n', 0]);
});

test('names a server in the TLS handshake without the final dot of its host', async (context) => {
  const names: string[] = [];
  const SNICallback = (name: string, done: (error: null) => void): void => {
    names.push(name);
    done(null);
  };
  const server = createTlsServer({ ...(await createLocalhostCertificate()), SNICallback }, (socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(final));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const addressesOf = async () => [{ address: '127.0.0.1', family: 4 as const }];
  const outbound = createOutbound({ addressesOf, acceptsAnyCertificate: true });
  context.after(async () => {
    await outbound.end();
    server.close();
  });
  const request = { method: 'GET', headers: {}, body: null, timeoutMs: 10_000, maxBodyBytes: 0 } as const;
  for (const host of ['a.example.', 'a.example', '127.0.0.1']) {
    const url = `https://${host}:${(server.address() as AddressInfo).port}/`;
    const result = await outbound.fetchPublic({ ...request, url });
    assert.equal('status' in result && result.status, 200, host);
  }
  assert.deepEqual(names, ['a.example', 'a.example']);
});

test('a certificate with a weak key is not valid', async (context) => {
  const weak = { keySize: 768, algorithm: 'sha256' } as const;
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'a.example' }], weak);
  const server = createTlsServer({ key, cert, ciphers: 'DEFAULT@SECLEVEL=0' }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const outbound = createOutbound({ addressesOf: async () => [{ address: '127.0.0.1', family: 4 }] });
  context.after(async () => {
    await outbound.end();
    server.close();
  });
  const url = `https://a.example:${(server.address() as AddressInfo).port}/`;
  const request = { method: 'GET', url, headers: {}, body: null, timeoutMs: 10_000, maxBodyBytes: 0 } as const;
  assert.deepEqual(await outbound.fetchPublic(request), { failure: 'certificate' });
});

/** Lets work begin when the test says so. */
class WaitingScheduler extends Scheduler {
  readonly waiting: (() => void)[] = [];

  override wait(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}

test('starts connections in turns, and rejects what cannot connect', async (context) => {
  const scheduler = new WaitingScheduler(bounds);
  const { waiting } = scheduler;
  const outbound = createOutbound({ scheduler });
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {}).end(final);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(async () => {
    await outbound.end();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const request = { method: 'GET', headers: {}, body: null, timeoutMs: 10_000, maxBodyBytes: 0 } as const;
  const results = Array.from({ length: 3 }, () => outbound.fetch({ ...request, url: `http://127.0.0.1:${port}/` }));
  await new Promise(setImmediate);
  assert.equal(waiting.length, 3);
  for (let count = 1; count <= 3; count += 1) {
    waiting.shift()?.();
    const result = await Promise.race(results.splice(0, 1));
    assert.deepEqual(result !== undefined && 'status' in result && [result.status, connections], [200, count]);
  }
  // Nothing is resolved before its turn.
  const later = outbound.fetchPublic({ ...request, url: 'https://192.0.2.1/' });
  assert.equal(waiting.length, 1);
  waiting.shift()?.();
  assert.deepEqual(await later, { failure: 'blocked' });
});

/** Starts 200 lookups of a server that responds to all handshakes together; returns the longest iteration and the CPU time of one lookup. */
async function measureTogether(context: TestContext) {
  const connections = 200;
  const { cert, key } = await createLocalhostCertificate();
  const workerData: TogetherServer = { cert, key, connections };
  const server = new Worker(new URL('together-server.ts', import.meta.url), { workerData });
  const [port] = await once(server, 'message');
  const addressesOf = () => Promise.resolve([{ address: '127.0.0.1', family: 4 as const }]);
  const outbound = createOutbound({ addressesOf, acceptsAnyCertificate: true });
  context.after(async () => {
    await outbound.end();
    await server.terminate();
  });
  const request = { method: 'GET', url: `https://localhost:${port}/`, headers: {}, body: null } as const;
  let longestMs = 0;
  const startMs = threadMs();
  let previousMs = startMs;
  const timer = setInterval(() => {
    const nowMs = threadMs();
    longestMs = Math.max(longestMs, nowMs - previousMs);
    previousMs = nowMs;
  }, 1);
  const lookups = Array.from({ length: connections }, () =>
    outbound.fetchPublic({ ...request, timeoutMs: 30_000, maxBodyBytes: 0 }),
  );
  const results = await Promise.all(lookups);
  clearInterval(timer);
  assert.deepEqual(new Set(results.map((result) => 'status' in result && result.status)), new Set([200]));
  return { longestMs, lookupMs: (threadMs() - startMs) / connections };
}

test('ends few handshakes in an event-loop iteration, even if all servers respond at the same instant', async (context) => {
  const { longestMs, lookupMs } = await measureTogether(context);
  context.diagnostic(`an iteration of ${longestMs} ms; a lookup takes ${lookupMs} ms`);
  assert.ok(longestMs <= 20 * lookupMs, `an iteration of ${longestMs} ms`);
});
