/** A malformed request over HTTP/3 (RFC 9114 §4.1.2) is rejected as over HTTP/2, where nghttp2 decides. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Exchange } from '../../../src/ingress/exchange.ts';
import { errorCodes } from '../../../src/ingress/http3/data/registries.ts';
import { settingsFrame } from '../../client/fingerprint/http2-frames.ts';
import { connectChannel, getFields, headersFrame, type Pair } from '../../runtime/http3/channel-client.ts';
import { connectRawHttp2, prefaceBytes, requestFrame } from '../raw-http2.ts';
import { serve } from '../serve.ts';

const get = getFields('/ip');

/** The fields of a request in which one has another value; null removes it. */
const having = (name: string, value: string | null): readonly Pair[] =>
  get.flatMap((pair): Pair[] => (pair[0] !== name ? [pair] : value === null ? [] : [[name, value]]));
const adding = (...more: readonly Pair[]): readonly Pair[] => [...get, ...more];
const withMethod = (method: string, fields: readonly Pair[]): readonly Pair[] => [
  [':method', method],
  ...fields.slice(1),
];

const malformed: Readonly<Record<string, readonly Pair[]>> = {
  'an empty authority': having(':authority', ''),
  'an absolute authority': having(':authority', 'https://localhost'),
  'an authority with a path': having(':authority', 'localhost/ip'),
  'an authority with a user': having(':authority', 'user@localhost'),
  'an authority with a space': having(':authority', 'a b'),
  'an authority that ends with a space': having(':authority', 'localhost '),
  'an authority beyond ASCII': having(':authority', 'm\xc3\xbcnchen.example'),
  'no authority and no Host': having(':authority', null),
  'no authority and an empty Host': [...having(':authority', null), ['host', '']],
  'an authority and an empty Host': adding(['host', '']),
  'two authorities': [[':authority', 'localhost'], ...get],
  'two Hosts': adding(['host', 'localhost'], ['host', 'localhost']),
  'an empty path': having(':path', ''),
  'no path': having(':path', null),
  'an absolute path': having(':path', 'https://localhost/ip'),
  'a relative path': having(':path', 'ip'),
  'only a query': having(':path', '?x'),
  'a path with a space': having(':path', '/a b'),
  'a path with a tab': having(':path', '/a\tb'),
  'a path that begins with a space': having(':path', ' /ip'),
  'a path that ends with a space': having(':path', '/ip '),
  'a path with DEL': having(':path', '/a\x7f'),
  'the path * of GET': having(':path', '*'),
  'an empty method': having(':method', ''),
  'no method': having(':method', null),
  'a method that ends with a space': having(':method', 'GET '),
  'a method with a space': having(':method', 'GE T'),
  'a method with a colon': having(':method', 'GE:T'),
  'a method with a parenthesis': having(':method', 'GET('),
  'a method beyond ASCII': having(':method', 'G\xc3\x89T'),
  'an empty scheme': having(':scheme', ''),
  'no scheme': having(':scheme', null),
  'a scheme with a space': having(':scheme', 'ht tps'),
  'a scheme that begins with a digit': having(':scheme', '1https'),
  'a scheme with a colon': having(':scheme', 'https:'),
  'a scheme beyond ASCII': having(':scheme', 'http\xc5\xbf'),
  'a protocol without CONNECT': [[':protocol', 'websocket'], ...get],
  'CONNECT without an authority': [[':method', 'CONNECT']],
  'CONNECT with a path': withMethod('CONNECT', get),
  'CONNECT with a protocol': [[':protocol', 'websocket'], ...withMethod('CONNECT', get)],
  'TE other than trailers': adding(['te', 'gzip']),
  'two lengths that are the same': adding(['content-length', '0'], ['content-length', '0']),
  'a list of lengths': adding(['content-length', '0, 0']),
  'a length with a sign': adding(['content-length', '+0']),
};

const wellFormed: Readonly<Record<string, readonly Pair[]>> = {
  'a Host in place of the authority': [...having(':authority', null), ['host', 'localhost']],
  'the same Host as the authority': adding(['host', 'localhost']),
  'the path * of OPTIONS': withMethod('OPTIONS', having(':path', '*')),
  'a path with a fragment and brackets': having(':path', '/ip#a[b]{c}|\\^`"<>'),
  'a method in lower case': having(':method', 'get'),
  'a scheme in capitals': having(':scheme', 'HTTPS'),
  'another scheme': having(':scheme', 'http'),
  'TE in capitals': adding(['te', 'Trailers']),
};

const echo = (exchange: Exchange): void =>
  exchange.respond({ status: 200, headers: {}, body: JSON.stringify([exchange.method, exchange.target]) });

/** The bodies of the responses over HTTP/2 and HTTP/3; null if the stream is reset as malformed. */
async function responsesTo(fields: readonly Pair[], context: TestContext): Promise<(string | null)[]> {
  const { httpsPort, socketPath } = await serve(context, echo);
  const http2 = await connectRawHttp2(`https://127.0.0.1:${httpsPort}`);
  http2.socket.write(Buffer.concat([prefaceBytes, settingsFrame(), requestFrame(fields)]));
  const code = await http2.resetCode();
  // PROTOCOL_ERROR.
  const overHttp2 = code === 1 ? null : await http2.body();
  http2.socket.destroy();
  const http3 = await connectChannel(socketPath);
  http3.send(0, headersFrame(fields), true);
  const overHttp3 = await Promise.race([
    http3.response(0).then(({ body }) => body),
    http3.reset(0).then((reset) => (reset === errorCodes.messageError ? null : `reset ${reset}`)),
  ]);
  http3.socket.destroy();
  return [overHttp2, overHttp3];
}

/** The handler's rejection, instead of a reset, which RFC 9114 §4.1.2 permits. */
const rejections: readonly (string | null)[] = [null, 'malformed_request'];

for (const [what, fields] of Object.entries(malformed))
  test(`HTTP/2 and HTTP/3 reject ${what}`, async (context) => {
    const [overHttp2 = '', overHttp3 = ''] = await responsesTo(fields, context);
    assert.equal(overHttp2, null);
    assert.ok(rejections.includes(overHttp3), `${overHttp3}`);
  });

for (const [what, fields] of Object.entries(wellFormed))
  test(`HTTP/2 and HTTP/3 accept ${what}`, async (context) => {
    const [overHttp2, overHttp3] = await responsesTo(fields, context);
    assert.match(`${overHttp2}`, /localhost/);
    assert.equal(overHttp3, overHttp2);
  });
