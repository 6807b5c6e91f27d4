/** Sends queries directly to a name server, as a resolver does. */
import { createSocket, type Socket } from 'node:dgram';
import { connect } from 'node:net';
import { hasRoute } from '../../edges/node/outbound/route.ts';
import { formatRecord } from '../../lookups/dns/record.ts';
import { statusOf } from '../../lookups/dns/response.ts';
import type { DnsRecord, DnsType } from '../../lookups/dns/schema.ts';
import { decodeResponse, encodeQuery } from '../../wire/dns/message.ts';

/** The port to which resolvers send queries, also if it is forwarded to another DNS_PORT. */
export const dnsPort = 53;

const timeoutMs = 3_000;
/** A datagram may be lost. */
const repeatMs = 1_000;

/**
 * Reaction of a server to the query for `whoami`: it answers as Seenby does; it responds as another one (`other`), as a resolver, or from
 * another address (`elsewhere`); it is silent; a firewall rejects the query, or the port does (`closed`); a router has no route to it, or this
 * machine has none (`untested`).
 */
export type Reaction =
  | 'answers'
  | 'other'
  | 'resolver'
  | 'elsewhere'
  | 'silent'
  | 'rejected'
  | 'closed'
  | 'unroutable'
  | 'untested';

type Transport = 'udp' | 'tcp';

/** Queries the server at an IP address for `whoami` of the zone; never rejects. */
export type QueryServer = (address: string, transport: Transport, zone: string) => Promise<Reaction>;

export const queryNameServer: QueryServer = async (address, transport, zone) => {
  const name = `whoami.${zone}`;
  const query = encodeQuery(name, 'TXT', 'checked');
  if (!(await hasRoute(address))) return 'untested';
  try {
    if (transport === 'tcp') return reactionIn(await queryOverTcp(address, query), name);
    const answers = await Promise.all([queryOverUdp(address, query), isAnsweredElsewhere(address, query)]);
    return answers[0] === null && answers[1] ? 'elsewhere' : reactionIn(answers[0], name);
  } catch (error) {
    return reactionBehind(error as NodeJS.ErrnoException);
  }
};

/** The response of an authoritative server. */
export interface AuthorityReply {
  readonly isAuthoritative: boolean;
  readonly status: string;
  readonly answers: readonly Pick<DnsRecord, 'name' | 'type' | 'data'>[];
  readonly authorities: readonly Pick<DnsRecord, 'name' | 'type' | 'data'>[];
}

/** Queries the authoritative server at an IP address; null without a usable response. Never rejects. */
export type QueryAuthority = (address: string, name: string, type: DnsType) => Promise<AuthorityReply | null>;

export const queryAuthority: QueryAuthority = async (address, name, type) => {
  const query = encodeQuery(name, type, 'checked');
  // RD: a server that also resolves must not do so.
  query[2] = (query[2] ?? 0) & ~recursionDesired;
  for (const send of [queryOverUdp, queryOverTcp]) {
    const response = await send(address, query).catch(() => null);
    const message = response && decodeResponse(response, name, type);
    if (response === null || message === null) continue;
    return {
      isAuthoritative: ((response[2] ?? 0) & authoritative) !== 0,
      status: statusOf(message),
      answers: message.answers.map(formatRecord),
      authorities: message.authorities.map(formatRecord),
    };
  }
  return null;
};

/** In the third octet of a message. */
const recursionDesired = 1;
const authoritative = 4;
/** In the fourth. */
const recursionAvailable = 0x80;

/** Only Seenby's text states the transport of the query. */
function reactionIn(response: Uint8Array | null, name: string): Reaction {
  if (response === null) return 'silent';
  const records = decodeResponse(response, name, 'TXT')?.answers ?? [];
  const texts = records.flatMap(({ octets }) => String.fromCharCode(...octets));
  if (texts.some((text) => text.includes('transport='))) return 'answers';
  return ((response[3] ?? 0) & recursionAvailable) === 0 ? 'other' : 'resolver';
}

function reactionBehind({ code = '' }: NodeJS.ErrnoException): Reaction {
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET') return 'closed';
  // What Linux makes of ICMP messages: administratively prohibited (over IPv6, over IPv4), and network prohibited, or without a route.
  if (code === 'EACCES' || code === 'EHOSTUNREACH') return 'rejected';
  if (code === 'ENETUNREACH') return 'unroutable';
  // A rule for outgoing packets of this machine.
  return code === 'EPERM' ? 'untested' : 'silent';
}

const openSocket = (address: string): Socket => createSocket(address.includes(':') ? 'udp6' : 'udp4');

/** Returns the first datagram; null if there is none in time. */
function queryOverUdp(address: string, query: Uint8Array): Promise<Uint8Array | null> {
  const socket = openSocket(address);
  const result = Promise.withResolvers<Uint8Array | null>();
  // Connected, so that the kernel reports a closed port, and drops datagrams from elsewhere.
  socket.on('message', result.resolve).on('error', result.reject);
  const send = (): void => socket.send(query, (error) => error && result.reject(error));
  // With a callback, Node passes the failure to it, and emits no error.
  socket.connect(dnsPort, address, (error?: Error) => (error ? result.reject(error) : send()));
  return endOf(socket, result, send);
}

/** Whether a response comes from another address, as behind a NAT that does not track connections. */
async function isAnsweredElsewhere(address: string, query: Uint8Array): Promise<boolean> {
  const socket = openSocket(address);
  const result = Promise.withResolvers<boolean | null>();
  socket.on('error', () => result.resolve(null));
  socket.on('message', (_, sender) => result.resolve(sender.address !== address));
  const send = (): void => socket.send(query, dnsPort, address, (error) => error && result.resolve(null));
  send();
  return (await endOf(socket, result, send)) === true;
}

/** The result, or null at the end of the time. Sends once more, and closes the socket at the end. */
async function endOf<Value>(
  socket: Socket,
  { promise, resolve }: PromiseWithResolvers<Value | null>,
  send: () => void,
): Promise<Value | null> {
  const repeat = setTimeout(send, repeatMs);
  const end = setTimeout(() => resolve(null), timeoutMs);
  try {
    return await promise;
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
