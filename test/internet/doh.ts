/** DNS over HTTPS servers that forward to the simulated resolver: one correct, one without HTTP/2, and many with a fault. */
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { faults, send } from './behaviors.ts';
import type { Behavior, Site } from './site.ts';

/** Changes the resolver's response. */
type Change = (message: Buffer) => Buffer;

function doh(change: Change = (message) => message, contentType = 'application/dns-message'): Behavior {
  return {
    http: async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'https://doh.test');
      const question =
        request.method === 'POST' ? await buffer(request) : Buffer.from(searchParams.get('dns') ?? '', 'base64url');
      if (pathname !== '/dns-query' || question.length < 12) return send(response, 400, {}, '');
      send(response, 200, { 'content-type': contentType }, change(await askResolver(question)));
    },
  };
}

/** Sends one query over TCP, where its length precedes a message (RFC 1035, section 4.2.2). */
async function askResolver(question: Buffer): Promise<Buffer> {
  const socket = connect(53, '127.0.0.1');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(question.length);
  socket.write(Buffer.concat([length, question]));
  let received = Buffer.alloc(0);
  for await (const piece of socket) {
    received = Buffer.concat([received, piece]);
    if (received.length >= 2 && received.length >= 2 + received.readUInt16BE()) break;
  }
  return received.subarray(2);
}

/** Changes the octet at `offset` of a message. */
const altered =
  (offset: number, change: (octet: number) => number): Change =>
  (message) => {
    const copy = Buffer.from(message);
    copy[offset] = change(copy[offset] ?? 0);
    return copy;
  };

/** Faults of a resolver. */
export const dohFaults = {
  ...faults,
  truncated: doh((message) => message.subarray(0, message.length >> 1)),
  'truncation-flag': doh(altered(2, (flags) => flags | 0x02)),
  'wrong-id': doh(altered(0, (octet) => octet ^ 0xff)),
  /** Changes the first letter of the queried name. */
  'wrong-question': doh(altered(13, (octet) => octet ^ 0x01)),
  'no-answer-flag': doh(altered(2, (flags) => flags & 0x7f)),
  refused: doh(altered(3, (flags) => (flags & 0xf0) | 5)),
  'wrong-type': doh(undefined, 'application/json'),
  noise: doh(() => Buffer.alloc(100, 0xc0)),
  'trailing-octets': doh((message) => Buffer.concat([message, Buffer.alloc(20)])),
} satisfies Readonly<Record<string, Behavior>>;

export type DohFaultName = keyof typeof dohFaults;

export const dohSites: readonly Site[] = [
  { host: 'doh.test', behavior: doh(), http2: true },
  { host: 'h1.doh.test', behavior: doh() },
  ...Object.entries(dohFaults).map(([name, behavior]) => ({ host: `${name}.doh.test`, behavior, http2: true })),
];
