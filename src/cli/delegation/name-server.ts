/** Sends a query directly to a name server, as a resolver does. */
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { decodeResponse, encodeQuery } from '../../wire/dns/message.ts';

/** The port to which resolvers send queries, also if it is forwarded to another DNS_PORT. */
export const dnsPort = 53;

const timeoutMs = 3_000;
/** A datagram may be lost. */
const repeatMs = 1_000;

/**
 * Reaction of a server to the query for `whoami`: it answers as Seenby does, it responds as another one, it is silent, it rejects the
 * connection, or there is no route to it.
 */
export type Reaction = 'answers' | 'other' | 'silent' | 'closed' | 'unreachable';

/** Queries the server at an IP address for `whoami` of the zone; never rejects. */
export type QueryServer = (address: string, transport: 'udp' | 'tcp', zone: string) => Promise<Reaction>;

export const queryNameServer: QueryServer = async (address, transport, zone) => {
  const name = `whoami.${zone}`;
  const query = encodeQuery(name, 'TXT', 'checked');
  try {
    const response = await (transport === 'udp' ? queryOverUdp : queryOverTcp)(address, query);
    return response === null ? 'silent' : reactionIn(response, name);
  } catch (error) {
    return reactionBehind(error as NodeJS.ErrnoException);
  }
};

/** Only Seenby's text states the transport of the query. */
function reactionIn(response: Uint8Array, name: string): Reaction {
  const records = decodeResponse(response, name, 'TXT')?.answers ?? [];
  const texts = records.flatMap(({ octets }) => String.fromCharCode(...octets));
  return texts.some((text) => text.includes('transport=')) ? 'answers' : 'other';
}

/** Without an address of the server's IP version, or a kernel that has it. */
const unreachableCodes = ['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'];

function reactionBehind({ code = '' }: NodeJS.ErrnoException): Reaction {
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET') return 'closed';
  return unreachableCodes.includes(code) ? 'unreachable' : 'silent';
}

/** Returns the first datagram; null if there is none in time. */
async function queryOverUdp(address: string, query: Uint8Array): Promise<Uint8Array | null> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  const result = Promise.withResolvers<Uint8Array | null>();
  // Connected, so that the kernel reports a closed port, and drops datagrams from elsewhere.
  socket.on('message', result.resolve).on('error', result.reject);
  // With a callback, Node passes the failure to it, and emits no error.
  socket.connect(dnsPort, address, (error?: Error) => (error ? result.reject(error) : socket.send(query)));
  const repeat = setTimeout(() => socket.send(query), repeatMs);
  const end = setTimeout(() => result.resolve(null), timeoutMs);
  try {
    return await result.promise;
  } finally {
    clearTimeout(repeat);
    clearTimeout(end);
    socket.close();
  }
}

/** Returns the first message on a TCP connection; null if there is none in time. */
async function queryOverTcp(host: string, query: Uint8Array): Promise<Uint8Array | null> {
  const socket = connect({ host, port: dnsPort });
  const end = setTimeout(() => socket.destroy(), timeoutMs);
  let received = Buffer.alloc(0);
  try {
    socket.write(Uint8Array.of(query.length >> 8, query.length, ...query));
    for await (const piece of socket as AsyncIterable<Buffer>) {
      received = Buffer.concat([received, piece]);
      const length = received.length < 2 ? Number.POSITIVE_INFINITY : received.readUInt16BE(0);
      if (received.length >= 2 + length) return received.subarray(2, 2 + length);
    }
    return null;
  } finally {
    clearTimeout(end);
    socket.destroy();
  }
}
