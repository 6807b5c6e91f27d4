/** The process for HTTP/3, as the service announces it. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { request } from 'node:https';
import { test } from 'node:test';
import { startNode } from '../../node-service.ts';
import { until } from '../../until.ts';

const skip = process.platform === 'linux' ? false : 'needs Linux';

test('takes the announcement back while another process has its port, with REUSE_PORT', { skip }, async (context) => {
  const other = createSocket('udp4').bind(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address();
  const service = await startNode({ host: '127.0.0.1', reusePort: true, http3Port: port });
  context.after(service.close);
  const altSvc = async (): Promise<string | undefined> => {
    const sent = request(`${service.https}/ip`, { rejectUnauthorized: false, agent: false }).end();
    const [response] = await once(sent, 'response');
    return response.resume().headers['alt-svc'];
  };
  assert.equal(await altSvc(), 'clear');
  other.close();
  await until(async () => (await altSvc()) !== 'clear');
  assert.equal(await altSvc(), `h3=":${port}"; ma=86400`);
});
