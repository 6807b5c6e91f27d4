/** The service reads the same in a request target over HTTP/1.1, HTTP/2 and HTTP/3. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Service } from '../../src/runtime/serve.ts';
import { startNode } from '../node-service.ts';
import { host, overHttp1, overHttp2, overHttp3, readingOf, type Send, targets } from './targets.ts';

/** The absolute form, as sent to a proxy. */
const absolute =
  (send: Send): Send =>
  (target) =>
    send(`https://${host}${target}`);

/** Path and query as the application gets them, by the target that was sent. */
let observed: string[] = [];
let service: Service;
before(async () => {
  service = await startNode({ host: '127.0.0.1', http3Port: 0, publicUrl: `https://${host}` }, {}, undefined, (app) => {
    return (request, ...rest) => {
      observed.push(`${request.path}?${request.query}`);
      return app(request, ...rest);
    };
  });
});
after(() => service.close());

test('every target is read in the same way over each protocol', async () => {
  const { http, https, http3 } = service;
  const overTls = overHttp1(`${https}`);
  const clients = [
    overTls,
    overHttp1(`${http}`),
    absolute(overTls),
    absolute(overHttp1(`${http}`)),
    overHttp2(`${https}`),
    overHttp3(`${http3}`),
  ];
  assert.equal(targets.length, 60);
  for (const [target, status, read] of targets) {
    const readings: object[] = [];
    for (const send of clients) {
      observed = [];
      const reading = readingOf(await send(target));
      // The scheme is the only difference.
      readings.push({ ...reading, url: `${reading.url}`.replace(/^http:/, 'https:'), observed });
    }
    const [first, ...others] = readings as [Readonly<Record<string, unknown>>, ...object[]];
    assert.equal(first.status, status, target);
    if (read !== undefined) assert.deepEqual(typeof read === 'string' ? first.location : first.args, read, target);
    for (const other of others) assert.deepEqual(other, first, target);
  }
});
