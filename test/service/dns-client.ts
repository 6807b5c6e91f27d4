/** A resolver for tests: sends DNS queries over UDP and TCP from any address of the machine, and returns what the server sent. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { RecordType } from '../../src/wire/dns/data/dns-parameters.ts';
import { encodeQuery } from '../../src/wire/dns/message.ts';
import { until } from '../until.ts';

export interface Query {
  readonly name: string;
  readonly type?: RecordType;
  /** Address that it is sent from; 127.0.0.1 if absent. */
  readonly from?: string;
}

/** Returns the response, a datagram. */
export async function askOverUdp(port: number, { name, type = 'A', from = '127.0.0.1' }: Query): Promise<Buffer> {
  const socket = createSocket('udp4');
  socket.bind(0, from);
  await once(socket, 'listening');
  const answered = once(socket, 'message');
  // One without a response does not keep the test running.
  socket.unref();
  socket.send(encodeQuery(name, type, 'checked'), port, '127.0.0.1');
  const [response] = await answered;
  socket.close();
  return response;
}

/** Returns the response with its length before it. */
export async function askOverTcp(port: number, { name, type = 'A', from = '127.0.0.1' }: Query): Promise<Buffer> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  const query = encodeQuery(name, type, 'checked');
  socket.write(Buffer.concat([Buffer.from([query.length >> 8, query.length & 0xff]), query]));
  const [response] = await once(socket, 'data');
  socket.destroy();
  return response;
}

/** Between two queries, so that these leave the processor to the service. */
const pauseMs = 20;

/**
 * Sends queries again and again until a request has its response: the first ones may arrive before the request. Each time when `ask` has
 * resolved, so that those of a busy machine are not counted twice.
 */
export async function askUntil<Reply>(reply: Promise<Reply>, ask: () => Promise<unknown>): Promise<Reply> {
  let hasArrived = false;
  const arrived = reply.finally(() => {
    hasArrived = true;
  });
  await until(async () => {
    await Promise.race([ask(), arrived]);
    return hasArrived;
  }, pauseMs);
  return arrived;
}
