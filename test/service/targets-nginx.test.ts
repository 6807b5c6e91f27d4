/** Through nginx, over HTTP/1.1 and HTTP/2, the service reads the same in a request target as without it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefixOf } from '../../src/core/address.ts';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { isInstalled, proxies, startProxy } from '../acceptance/proxies.ts';
import { startNode } from '../node-service.ts';
import { host, overHttp1, overHttp2, readingOf, targets } from './targets.ts';

const skip = isInstalled('nginx') || process.env.CI ? false : 'needs nginx (apt-get install nginx)';

/** Targets with NUL or a malformed percent-encoding in the path never reach the service. */
const rejectedByNginx = ['/ip%00', '/%zz'];

test('every target is read as without nginx', { skip }, async (context) => {
  const service = await startNode({
    host: '127.0.0.1',
    publicUrl: `https://${host}`,
    trustProxy: [prefixOf('127.0.0.1')],
  });
  context.after(() => service.close());
  const nginx = await startProxy(proxies.nginx, service, await createLocalhostCertificate());
  context.after(async () => {
    await nginx.close();
    nginx.remove();
  });
  const direct = overHttp1(`${service.https}`);
  const clients = [overHttp1(nginx.https), overHttp2(nginx.https)];
  for (const [target] of targets) {
    const expected = readingOf(await direct(target));
    for (const send of clients) {
      const reply = await send(target);
      if (rejectedByNginx.includes(target)) assert.equal(reply.status, 400, target);
      else assert.deepEqual(readingOf(reply), expected, target);
    }
  }
});
