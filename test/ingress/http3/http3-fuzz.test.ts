/** Random streams over HTTP/3, valid and broken: none ends the server, and other connections are served. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { frameTypes } from '../../../src/ingress/http3/data/registries.ts';
import { encodeVarints } from '../../../src/ingress/http3/frames.ts';
import { messageTypes } from '../../../src/runtime/http3/channel-socket.ts';
import { checkConcurrently, mutationOf } from '../../random.ts';
import { connectChannel, frame, getFields, headersFrame } from '../../runtime/http3/channel-client.ts';
import { closed } from '../../sockets.ts';
import { serve } from '../serve.ts';

const rounds = 10_000;

const whole = [
  headersFrame(getFields('/ip')),
  headersFrame([[':method', 'POST'], ...getFields('/', [['content-length', '3']]).slice(1)]),
  headersFrame([['x-trailer', 'a']]),
  frame(frameTypes.data, Buffer.from('abc')),
  frame(frameTypes.settings, encodeVarints(6, 1_000)),
  frame(frameTypes.goaway, encodeVarints(0)),
  frame(0x21, Buffer.from('reserved')),
  Buffer.concat([encodeVarints(0), frame(frameTypes.settings)]),
  Buffer.from('0220', 'hex'),
  Buffer.from('0341', 'hex'),
];

const bytes = fc.oneof(fc.constantFrom(...whole), mutationOf(whole), fc.uint8Array({ maxLength: 40 }));
const stream = fc.constantFrom(0, 4, 8, 2, 6, 10);
const sent = fc.oneof(
  { weight: 8, arbitrary: fc.record({ stream, bytes, isLast: fc.boolean() }) },
  fc.record({ stream, type: fc.constantFrom(...Object.values(messageTypes).slice(3, 7)) }),
);

test('handles random streams without a fault', async (context) => {
  const { socketPath, closed: reasons } = await serve(context, async (exchange) => {
    const body = exchange.method === 'POST' ? await exchange.readBody(1_000) : null;
    exchange.respond({ status: 200, headers: {}, body: body ?? 'a' });
  });
  await checkConcurrently(
    rounds,
    fc.array(sent, { maxLength: 12 }),
    async (messages) => {
      const client = await connectChannel(socketPath);
      for (const each of messages) {
        if ('type' in each) client.sendMessage(each.type, each.stream);
        else client.send(each.stream, each.bytes, each.isLast);
      }
      client.socket.end();
      await closed(client.socket);
    },
    async () => {
      const other = await connectChannel(socketPath);
      assert.equal((await other.request(0, getFields())).status, 200);
      other.socket.destroy();
    },
  );
  assert.deepEqual(
    reasons.filter((reason) => /error/i.test(reason) && !/request_timeout/.test(reason)),
    [],
  );
});
