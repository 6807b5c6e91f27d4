/** The connections of a port belong to all clients: many of one network, without a request, leave room for others. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { ingressBounds } from '../../../src/ingress/bounds.ts';
import type { Exchange } from '../../../src/ingress/exchange.ts';
import { createIdentify } from '../../../src/ingress/limits/identity.ts';
import { PortLimit } from '../../../src/ingress/limits/port-limit.ts';
import { settingsFrame } from '../../client/fingerprint/http2-frames.ts';
import { closed } from '../../sockets.ts';
import { until } from '../../until.ts';
import { prefaceBytes, requestFrame } from '../raw-http2.ts';
import { type Served, serve } from '../serve.ts';

const identify = createIdentify();

const max = 200;
const proxy = '127.0.0.1';

/** A connection whose client a PROXY header names. */
interface Held {
  readonly ip: string;
  readonly socket: Socket;
  received: string;
}

const respond = (exchange: Exchange, body = 'served'): void =>
  exchange.respond({ status: 200, headers: { 'Content-Type': 'text/plain' }, body });

/** More than the kernel takes for a client that does not read. */
const large = 'x'.repeat(8 * 2 ** 20);

/** Serves behind a proxy that sends PROXY headers; a path that begins with /wait gets no response, and /large a large one. */
async function serveLimited(context: TestContext, maxConnections = max) {
  const waiting: Exchange[] = [];
  const served = await serve(
    context,
    async (exchange) => {
      if (exchange.target.path === '/body') await exchange.readBody(65_536);
      if (exchange.target.path.startsWith('/wait')) waiting.push(exchange);
      else if (exchange.target.path === '/large') respond(exchange, large);
      else respond(exchange);
    },
    {
      bounds: { connectionCheckMs: 20, unreadMs: 200, maxSendBufferBytes: 2 ** 30 },
      options: { maxConnections, identify, proxyProtocol: true, isTrusted: (ip) => ip === proxy },
    },
  );
  return { ...served, waiting };
}

type Limited = Awaited<ReturnType<typeof serveLimited>>;

/** Opens a connection of this client, sends the bytes, and waits until it is admitted or closed. */
async function hold({ httpPort, connections }: Served, ip: string, bytes = ''): Promise<Held> {
  const before = connections.length;
  const socket = connect(httpPort, proxy);
  const held: Held = { ip, socket, received: '' };
  socket.on('error', () => {}).on('data', (chunk) => (held.received += chunk));
  await once(socket, 'connect');
  socket.write(`PROXY TCP${ip.includes(':') ? 6 : 4} ${ip} ${ip} 1 2\r\n${bytes}`);
  await until(() => connections.length !== before || socket.destroyed);
  return held;
}

/** Opens connections one after the other, as many for each client. */
async function holdAll(served: Served, ips: readonly string[], bytes = ''): Promise<Held[]> {
  const all: Held[] = [];
  for (let at = 0; at < max; at += 1) all.push(await hold(served, ips[at % ips.length] as string, bytes));
  return all;
}

const countOpen = (held: readonly Held[]): number => held.filter(({ socket }) => !socket.destroyed).length;

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** Sends a request over a connection; returns whether it was served. */
async function isServed({ socket }: Held): Promise<boolean> {
  if (socket.destroyed) return false;
  socket.write(get);
  const [chunk] = await Promise.race([once(socket, 'data').catch(() => ['']), closed(socket).then(() => [''])]);
  return String(chunk).startsWith('HTTP/1.1 200');
}

/** Whether new clients of other networks are served, one after the other. */
async function serveOthers(served: Served, count = 40): Promise<number> {
  let answered = 0;
  for (let at = 0; at < count; at += 1) if (await isServed(await hold(served, `100.64.${at}.1`))) answered += 1;
  return answered;
}

const manyOf = (count: number, ip: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => ip(at));

const attackers = {
  '43 /64s of one /48': manyOf(43, (at) => `2001:db8:1:${at}::1`),
  'one /48 with a new /64 for each connection': manyOf(max, (at) => `2001:db8:1:${at.toString(16)}::1`),
  '41 addresses of as many networks': manyOf(41, (at) => `198.51.${at}.7`),
  '40 addresses of 20 networks': manyOf(40, (at) => `198.51.${at % 20}.${at}`),
  'one address': ['203.0.113.9'],
};

describe('connections without a request leave room for other clients:', () => {
  for (const [name, ips] of Object.entries(attackers))
    test(name, async (context) => {
      const served = await serveLimited(context);
      const honest = [
        await hold(served, '192.0.2.1', get),
        await hold(served, '192.0.2.1', get),
        await hold(served, '2001:db8:2::1', get),
      ];
      const held = await holdAll(served, ips);
      assert.equal(await serveOthers(served), 40);
      assert.deepEqual(await Promise.all(honest.map(isServed)), [true, true, true]);
      assert.ok(countOpen(held) > max / 8, `${countOpen(held)}`);
    });

  const unfinished = {
    'half a header': 'GET / HTTP/1.1\r\nHost',
    'half a body': 'POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf',
    'a served request and half a header': `${get}GET / HTTP/1.1\r\nHost`,
  };
  for (const [name, bytes] of Object.entries(unfinished))
    test(`${name}, with a further byte again and again`, async (context) => {
      const served = await serveLimited(context);
      const held = await holdAll(served, attackers['41 addresses of as many networks'], bytes);
      const renewal = setInterval(() => {
        for (const { socket } of held) if (socket.writable) socket.write('x');
      }, 50);
      assert.equal(await serveOthers(served), 40);
      clearInterval(renewal);
    });
});

test('a network has at most a quarter of the connections without a request while others ask', async (context) => {
  const served = await serveLimited(context);
  const held = await holdAll(served, attackers['43 /64s of one /48']);
  assert.ok(countOpen(held) > max / 2);
  assert.equal(await serveOthers(served, 1), 1);
  await until(() => countOpen(held) <= max / 4);
  assert.equal(await serveOthers(served, 1), 1);
  assert.ok(countOpen(held) > max / 5, `${countOpen(held)}`);
});

test('a network gets no more than a quarter either by connecting again while others ask', async (context) => {
  const served = await serveLimited(context);
  const ips = attackers['43 /64s of one /48'];
  const held = await holdAll(served, ips);
  assert.equal(await serveOthers(served, 1), 1);
  await until(() => countOpen(held) <= max / 4);
  let most = 0;
  for (let at = 0; at < max; at += 1) {
    held.push(await hold(served, ips[at % ips.length] as string));
    if (at % 20 === 0) assert.equal(await serveOthers(served, 1), 1);
    most = Math.max(most, countOpen(held));
  }
  // Some are on their way to be closed.
  assert.ok(most <= max / 4 + 10, `${most}`);
});

test('a network alone may have more than a quarter', async (context) => {
  const served = await serveLimited(context);
  const ips = attackers['43 /64s of one /48'];
  const held = await holdAll(served, ips);
  assert.equal(await isServed(await hold(served, ips[0] as string)), true);
  assert.ok(countOpen(held) >= max * 0.75, `${countOpen(held)}`);
});

test('above 80 % of the connections, one is asked to leave before all are taken', async (context) => {
  const served = await serveLimited(context, 10);
  const held: Held[] = [];
  while (held.length < 9) {
    assert.deepEqual(served.closed, []);
    held.push(await hold(served, '203.0.113.9'));
  }
  assert.deepEqual(served.closed, ['replaced']);
  await until(() => countOpen(held) <= 8);
});

/** A limit without sockets; `enter` returns whether a connection may stay, and `closed` has the numbers of those that were closed. */
function limitOf(max: number) {
  const closed: number[] = [];
  let count = 0;
  const scheduler = { defer: (work: () => void) => work() };
  const limit = new PortLimit({ name: 'http', max, bounds: ingressBounds, peers: null, scheduler, onClosed() {} });
  const enter = (ip: string | null, protocol: { hasRequest: boolean; drain(): void } | null, begun = 0): boolean => {
    const events = new EventEmitter();
    const number = ++count;
    const destroy = (): void => {
      closed.push(number);
      Object.assign(events, { destroyed: true });
      events.emit('close');
    };
    const socket = Object.assign(events, { destroyed: false, destroy }) as never;
    limit.add();
    const holder = ip === null ? null : identify(ip);
    const connection = { socket, holder, begun, isReplaceable: false, protocol };
    events.on('close', () => {
      limit.remove();
      limit.forget(connection);
    });
    const hasEntered = limit.enter(connection);
    if (!hasEntered) events.emit('close');
    return hasEntered;
  };
  return { limit, enter, closed };
}

test('a connection that had a request is looked at again', () => {
  const { limit, enter } = limitOf(1);
  const protocol = { hasRequest: true, drain() {} };
  assert.deepEqual([enter('203.0.113.9', protocol), enter('192.0.2.1', null)], [true, false]);
  // Its client does not read.
  protocol.hasRequest = false;
  assert.equal(enter('192.0.2.1', null), false);
  limit.sweep(performance.now());
  assert.equal(enter('192.0.2.1', null), true);
});

test('a new connection may replace a used one of its own client', () => {
  const { enter } = limitOf(2);
  assert.ok(enter('203.0.113.9', { hasRequest: true, drain() {} }));
  const used = { hasRequest: false, drain() {} };
  assert.ok(enter('192.0.2.1', used, 1));
  assert.ok(enter('192.0.2.1', null));
});

test('connections of a trusted proxy are never replaced', () => {
  const { enter, closed } = limitOf(2);
  const idle = { hasRequest: false, drain() {} };
  assert.deepEqual([enter(null, idle), enter(null, idle), enter('192.0.2.1', null)], [true, true, false]);
  assert.deepEqual(closed, []);
});

test('when nine tenths of the connections are taken, two clients are told to reconnect for each new one', () => {
  const { limit, enter } = limitOf(20);
  let drained = 0;
  const protocol = {
    hasRequest: true,
    drain() {
      drained += 1;
    },
  };
  for (let each = 0; each < 18; each += 1) assert.ok(enter('203.0.113.9', protocol));
  protocol.hasRequest = false;
  limit.sweep(performance.now());
  assert.equal(drained, 0);
  assert.ok(enter('192.0.2.1', null));
  assert.equal(drained, 2);
});

test('a connection whose client was told to reconnect is closed before others', () => {
  const { enter, closed } = limitOf(10);
  for (let each = 0; each < 10; each += 1) assert.ok(enter('203.0.113.9', { hasRequest: false, drain() {} }));
  assert.deepEqual(closed, []);
  assert.ok(enter('192.0.2.1', null));
  assert.deepEqual(closed, [1]);
});

test('connections that came while there were few are replaced like others, the oldest first', () => {
  const { enter, closed } = limitOf(100);
  // Of one network each, so that no other bound applies.
  const idle = { hasRequest: false, drain() {} };
  for (let each = 0; each < 20; each += 1) assert.ok(enter(`192.0.${each}.1`, each % 2 === 0 ? null : idle));
  for (let each = 0; each < 5; each += 1) assert.ok(enter('203.0.113.9', null));
  for (let each = 20; each < 75; each += 1) assert.ok(enter(`192.0.${each}.1`, null));
  assert.deepEqual(closed, []);
  for (let each = 75; each < 77; each += 1) assert.ok(enter(`192.0.${each}.1`, null));
  assert.deepEqual(closed, [21, 22]);
});

test('a client that holds most of few connections is found when there are many', () => {
  const { limit, enter, closed } = limitOf(1000);
  for (let each = 0; each < 60; each += 1) assert.ok(enter('203.0.113.9', null));
  for (let each = 0; each < 740; each += 1) assert.ok(enter(`192.${each >> 8}.${each & 255}.1`, null));
  limit.sweep(performance.now());
  assert.deepEqual(closed, []);
  assert.ok(enter('198.51.100.1', null));
  assert.deepEqual(closed, [1]);
});

describe('complete requests', () => {
  const wait = 'GET /wait HTTP/1.1\r\nHost: a\r\n\r\n';

  const finish = async ({ waiting }: Limited, held: readonly Held[]): Promise<void> => {
    for (const exchange of waiting) respond(exchange);
    await until(() => held.every(({ received }) => received.includes('served')));
  };

  test('are never cut, and when all connections have one, new ones are closed', async (context) => {
    const served = await serveLimited(context, 20);
    const held: Held[] = [];
    // One after the other, because one without its request might be replaced.
    while (held.length < 20) {
      held.push(await hold(served, '203.0.113.9', wait));
      await until(() => served.waiting.length >= held.length);
    }
    assert.equal(await serveOthers(served, 3), 0);
    assert.deepEqual(served.closed, ['connections', 'connections', 'connections']);
    await finish(served, held);
    // Their connections are replaced again after the responses.
    assert.equal(await serveOthers(served, 10), 10);
  });

  test('do not protect a connection whose client does not read the response', async (context) => {
    const served = await serveLimited(context, 10);
    const held: Held[] = [];
    while (held.length < 10) {
      held.push(await hold(served, '203.0.113.9', 'GET /large HTTP/1.1\r\nHost: a\r\n\r\n'));
      held.at(-1)?.socket.pause();
    }
    await until(() => serveOthers(served, 1));
    assert.equal(await serveOthers(served, 5), 5);
    assert.ok(served.closed.includes('replaced') && !served.closed.includes('stalled_reader'));
  });

  test('are not cut either before half a request on the same connection', async (context) => {
    const served = await serveLimited(context, 10);
    const half = `${wait}POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf`;
    const held = await Promise.all(manyOf(9, () => '203.0.113.9').map((ip) => hold(served, ip, half)));
    await until(() => served.waiting.length >= 9);
    assert.equal(await serveOthers(served, 5), 5);
    assert.equal(countOpen(held), 9);
    await finish(served, held);
  });

  test('that arrive on a connection that is to be closed are served', async (context) => {
    const served = await serveLimited(context, 10);
    const first = await hold(served, '203.0.113.9', get);
    await until(() => first.received !== '');
    const rest = await Promise.all(manyOf(7, () => '203.0.113.9').map((ip) => hold(served, ip)));
    const arriving = hold(served, '203.0.113.9');
    const socket = first.socket;
    await until(() => served.closed.includes('replaced') || (countOpen(rest) === 7 && served.connections.length >= 9));
    socket.write(get);
    await arriving;
    await until(() => first.received.split('HTTP/1.1 200').length >= 3);
    assert.ok(first.received.split('HTTP/1.1 200').length === 3);
  });
});

test('streams of HTTP/2 that never end, and handshakes, are replaced as well', async (context) => {
  const served = await serveLimited(context, 20);
  const open = async (ip: string, bytes: Buffer | null): Promise<Socket> => {
    const socket = connect(served.httpsPort, proxy);
    await once(socket, 'connect');
    socket.write(`PROXY TCP4 ${ip} ${ip} 1 2\r\n`);
    if (bytes === null) return socket;
    const secure = connectTls({ socket, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    secure.on('error', () => {});
    await once(secure, 'secureConnect');
    secure.write(Buffer.concat([prefaceBytes, settingsFrame(), bytes]));
    return secure;
  };
  const fields = [
    [':method', 'POST'],
    [':scheme', 'https'],
    [':authority', 'a'],
    [':path', '/body'],
  ] as const;
  const unfinished = requestFrame(fields);
  // Without END_STREAM.
  unfinished[4] = 0x04;
  const sockets: Socket[] = [];
  for (let at = 0; at < 10; at += 1) {
    sockets.push(await open('203.0.113.9', unfinished));
    sockets.push(await open('203.0.113.9', null));
  }
  let answered = 0;
  for (let at = 0; at < 15; at += 1) {
    const socket = await open(`192.0.${at}.1`, requestFrame([[':method', 'GET'], ...fields.slice(1)]));
    await once(socket, 'data');
    answered += 1;
  }
  assert.equal(answered, 15);
  for (const socket of sockets) socket.destroy();
});
