/** Attacks of many connections in the same instant; they run in the process of attacker.ts. */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { addressOf, type Target } from './attacks.ts';
import { openHttp2, requestFrame, settingsFrame } from './http2-attacker.ts';
import { ordinaryHello, recordOf } from './tls-attacker.ts';

interface Burst extends Target {
  readonly connections: number;
  readonly holdMs: number;
}

/** The first 60 connections come from one address, the others from many. */
const addressIn = (at: number): string => addressOf(at < 60 ? 0 : at);

/** Opens 100 streams on each connection in the same instant, and closes all connections in another. */
export async function openStreamsTogether({ connections, holdMs, httpsPort }: Burst) {
  const opened = await Promise.all(
    Array.from({ length: connections }, async (_, at) => {
      const socket = await openHttp2(httpsPort, addressIn(at), settingsFrame());
      socket?.resume().write(requestFrame(1, '/ip', true));
      return socket;
    }),
  );
  await delay(holdMs);
  const frames = Buffer.concat(Array.from({ length: 100 }, (_, at) => requestFrame(2 * at + 3, '/ip', false)));
  const sockets = opened.filter((socket) => socket !== null);
  for (const socket of sockets) socket.write(frames);
  await delay(holdMs);
  for (const socket of sockets) socket.destroy();
  await delay(holdMs);
  return { opened: sockets.length };
}

/** Sends a ClientHello on each connection in the same instant; returns the number of responses. */
export async function sendHellosTogether({ connections, holdMs, httpsPort }: Burst) {
  const hello = recordOf(await ordinaryHello());
  let responses = 0;
  const sockets = await Promise.all(
    Array.from({ length: connections }, async (_, at) => {
      const socket = connect({ host: '127.0.0.1', port: httpsPort, localAddress: addressIn(at) });
      socket
        .on('error', () => {})
        .once('data', () => {
          responses += 1;
        });
      await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
      return socket;
    }),
  );
  for (const socket of sockets) socket.write(hello);
  const endMs = performance.now() + holdMs;
  while (responses < connections && performance.now() < endMs) await delay(20);
  for (const socket of sockets) socket.destroy();
  return { responses };
}
