/** Request targets as clients send them, and what the service reads in each: the same over every protocol. */
import { setImmediate } from 'node:timers/promises';
import { encodeFieldSection } from '../../src/ingress/http3/qpack.ts';
import { keptHttp2Client, parseReply, type Reply } from '../acceptance/client.ts';
import { rawClient } from '../ingress/raw-client.ts';
import { connectAttacker, pause } from '../quic-attacker.ts';
import { frame, readResponse } from '../runtime/http3/channel-client.ts';

/** The host that every request names. */
export const host = 'seenby.example';

const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

/** The service's status, and where it redirects or which parameters it reads. */
type Row = readonly [target: string, status: number, read?: string | Readonly<Record<string, string | string[]>>];

const lookup = '/lookup?q=';
const echo = '/as/httpbin/get';
const domain = (name: string): string => `/lookup/domain?name=${name}`;
const munich = domain('xn--mnchen-3ya.example');

/** Bytes as Latin-1. */
export const targets: readonly Row[] = [
  ['/ip', 200],
  ['/ip/', 200],
  ['/ip?', 200],
  ['/ip?x', 200],
  ['/ip;x', 404],
  ['/IP', 404],
  ['/%69p', 404],
  ['//ip', 404],
  ['/ip//', 404],
  ['/./ip', 404],
  ['/x/../ip', 404],
  ['/ip#x', 404],
  ['/ip%23x', 404],
  ['/ip%3Fx', 404],
  ['/ip%20', 404],
  ['/ip%00', 404],
  ['/ip%C3%BC', 404],
  ['/ip%FC', 404],
  ['/%zz', 404],
  ['/a\\b', 404],
  ['/a"b<c>d^e`f{g|h}i', 404],
  ["/a!b$c&d'e(f)g*h+i,j=k", 404],
  ['/a[b]c:d@e~f', 404],
  [utf8('/ip/ü'), 400],
  ['/ip/\xfc', 400],
  [utf8('/日本'), 400],
  ['/ip/\xff\xfe', 400],
  [utf8('/ip?ü'), 400],
  [`${lookup}example.com`, 303, domain('example.com')],
  [`${lookup}m%C3%BCnchen.example`, 303, munich],
  [`${lookup}M%c3%9cNCHEN.example`, 303, munich],
  [`${lookup}xn--mnchen-3ya.example`, 303, munich],
  [utf8(`${lookup}münchen.example`), 400],
  [`${lookup}m\xfcnchen.example`, 400],
  [`${lookup}m%FCnchen.example`, 400],
  [utf8(`${lookup}例え.example`), 400],
  [utf8('/lookup/domain?name=münchen.example'), 400],
  [utf8('/api/rdap?q=münchen.example'), 400],
  [utf8('/api/dns?name=münchen.example'), 400],
  ['/api/rdap?q=a%20b%C3%BC', 400],
  [`${lookup}8.8.8.8`, 303],
  [`${lookup}2001:db8::1`, 303],
  [`${lookup}2001%3Adb8%3A%3A1`, 303],
  [`${lookup}AS64500`, 303],
  [`${lookup}%20example.com+`, 303],
  [`${lookup}https://example.com/a?b=c%26d`, 303],
  [`${lookup}a#b`, 400],
  [`${lookup}`, 200],
  [`${echo}?x=%C3%A9`, 200, { x: 'é' }],
  [utf8(`${echo}?x=é`), 400],
  [`${echo}?x=\xe9`, 400],
  [`${echo}?x=%E9`, 200, { x: '\ufffd' }],
  [`${echo}?a+b=c+d`, 200, { 'a b': 'c d' }],
  [`${echo}?a=1&a=2&b`, 200, { a: ['1', '2'], b: '' }],
  [`${echo}?&&=&a=b=c;d`, 200, { '': '', a: 'b=c;d' }],
  [`${echo}?x=%zz%`, 200, { x: '%zz%' }],
  [`${echo}?x=%00%0A%0d`, 200, { x: '\0\n\r' }],
  [`${echo}?x=a?b/c#d`, 200, { x: 'a?b/c#d' }],
  [`${echo}?x="<>\\^\`{|}`, 200, { x: '"<>\\^`{|}' }],
  [`${echo}?x=${'a'.repeat(60)}`, 200, { x: 'a'.repeat(60) }],
];

export type Send = (target: string) => Promise<Reply>;

/** Sends each request on a connection of its own, byte by byte as it is. */
export const overHttp1 =
  (origin: string): Send =>
  async (target) => {
    const request = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    const received = await rawClient(origin, Buffer.from(request, 'latin1')).closed;
    return parseReply(Buffer.from(received, 'latin1').toString());
  };

/** Node's client sends each character as a byte. */
export const overHttp2 = (origin: string): Send => {
  const client = keptHttp2Client(origin);
  return (target) => client.request(target, { headers: { ':authority': host } });
};

/** Over QUIC, by the client of the OpenSSL inside Node. */
export const overHttp3 =
  (origin: string): Send =>
  async (target) => {
    const connection = await connectAttacker(Number(new URL(origin).port), '127.0.0.1');
    const stream = connection?.openStream();
    if (!connection || !stream) throw new Error('no connection');
    const fields = [':method', 'GET', ':scheme', 'https', ':authority', host, ':path', target];
    stream.write(frame(1, encodeFieldSection(fields)), true);
    const received: Uint8Array[] = [];
    while (!stream.read((part) => received.push(Buffer.from(part))).hasEnded) {
      connection.handle();
      await pause(1);
    }
    stream.free();
    connection.close();
    await setImmediate();
    return readResponse(Buffer.concat(received));
  };

/** What a response shows of the target: the status, where it redirects, and the parameters it contains. */
export function readingOf({ status, headers, body }: Reply): Readonly<Record<string, unknown>> {
  const { location = null } = headers;
  const { args = null, url = null, error = null, message = null } = /^\{/.test(body) ? JSON.parse(body) : {};
  return { status, location, args, url, error, message };
}
