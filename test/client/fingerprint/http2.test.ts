/** The HTTP/2 opening: frames of real clients with their published Akamai texts, cut and odd frames. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { akamai } from '../../../src/client/fingerprint/akamai.ts';
import { parseHttp2Preface } from '../../../src/client/fingerprint/http2.ts';
import { frame, headersFrame, priorityFrame, settingsFrame, windowUpdateFrame } from './http2-frames.ts';

const pseudo = (letters: string): string[] =>
  [...letters].map((letter) => `:${{ m: 'method', a: 'authority', s: 'scheme', p: 'path' }[letter] ?? assert.fail()}`);

const clients = [
  {
    name: 'Chromium',
    frames: [
      settingsFrame([1, 65536], [2, 0], [4, 6291456], [6, 262144]),
      windowUpdateFrame(15663105),
      headersFrame({ exclusive: true, dependsOn: 0, weight: 256 }),
    ],
    order: 'masp',
    text: '1:65536;2:0;4:6291456;6:262144|15663105|0|m,a,s,p',
    hash: '52d84b11737d980aef856699f885ca86',
    priority: { exclusive: true, dependsOn: 0, weight: 256 },
  },
  {
    name: 'Firefox',
    frames: [
      settingsFrame([1, 65536], [2, 0], [4, 131072], [5, 16384]),
      windowUpdateFrame(12517377),
      headersFrame({ exclusive: false, dependsOn: 0, weight: 42 }),
    ],
    order: 'mpas',
    text: '1:65536;2:0;4:131072;5:16384|12517377|0|m,p,a,s',
    hash: '6ea73faa8fc5aac76bded7bd238f6433',
    priority: { exclusive: false, dependsOn: 0, weight: 42 },
  },
  {
    name: 'curl',
    frames: [settingsFrame([3, 100], [4, 33554432], [2, 0]), windowUpdateFrame(33488897), headersFrame(null)],
    order: 'mpsa',
    text: '3:100;4:33554432;2:0|33488897|0|m,p,s,a',
    hash: 'fd07c74c4990fc43ef9f4b3277cf3cf2',
    priority: null,
  },
  {
    name: 'Node',
    frames: [settingsFrame(), headersFrame(null)],
    order: 'pmas',
    text: '|00|0|p,m,a,s',
    hash: '38e36840395e07ae27bae1632ddc8b92',
    priority: null,
  },
  {
    name: 'Go',
    frames: [settingsFrame([2, 0], [4, 4194304], [6, 10485760]), windowUpdateFrame(1073741824), headersFrame(null)],
    order: 'amps',
    text: '2:0;4:4194304;6:10485760|1073741824|0|a,m,p,s',
    hash: 'd7b77e8c74a096366dd6190cbb2fa50a',
    priority: null,
  },
  {
    name: 'nghttp',
    frames: [
      settingsFrame([3, 100], [4, 65535]),
      ...[
        [3, 0, 201],
        [5, 0, 101],
        [7, 0, 1],
        [9, 7, 1],
        [11, 3, 1],
      ].map(([streamId = 0, dependsOn = 0, weight = 0]) =>
        priorityFrame({ streamId, exclusive: false, dependsOn, weight }),
      ),
      headersFrame({ exclusive: false, dependsOn: 11, weight: 16 }),
    ],
    order: 'mpsa',
    text: '3:100;4:65535|00|3:0:0:201,5:0:0:101,7:0:0:1,9:0:7:1,11:0:3:1|m,p,s,a',
    hash: 'ada93706ea1b5cca53f2b62779d154cd',
    priority: { exclusive: false, dependsOn: 11, weight: 16 },
  },
];

for (const { name, frames, order, text, hash, priority } of clients) {
  test(`computes the Akamai fingerprint of ${name}`, () => {
    const opening = parseHttp2Preface(Buffer.concat(frames)) ?? assert.fail();
    assert.deepEqual(akamai(opening, pseudo(order)), { hash, text });
    assert.deepEqual(opening.headersPriority, priority);
  });
}

test('keeps settings without a meaning, the first of two SETTINGS and the first WINDOW_UPDATE', () => {
  const bytes = Buffer.concat([
    settingsFrame([0x1a2a, 7], [4, 1], [4, 2]),
    windowUpdateFrame(5),
    settingsFrame([1, 9]),
    windowUpdateFrame(6),
  ]);
  const opening = parseHttp2Preface(bytes) ?? assert.fail();
  assert.equal(akamai(opening, pseudo('masp')).text, '6698:7;4:1;4:2|5|0|m,a,s,p');
});

test('reads the priority of a padded HEADERS frame, and none from one without the flag', () => {
  const padded = frame(1, 0x28, 1, Buffer.from('0480000003290000', 'hex'));
  const opening = parseHttp2Preface(Buffer.concat([settingsFrame(), padded])) ?? assert.fail();
  assert.deepEqual(opening.headersPriority, { exclusive: true, dependsOn: 3, weight: 42 });
});

test('keeps what came before the bytes end, whichever byte is the last', () => {
  const { frames, text } = clients[5] ?? assert.fail();
  const bytes = Buffer.concat(frames);
  for (let length = 0; length < bytes.length; length += 1) {
    const opening = parseHttp2Preface(bytes.subarray(0, length));
    if (opening === null) assert.ok(length < 21, `${length}`);
    else assert.ok(text.startsWith(akamai(opening, []).text.replace(/\|(?:0\|)?$/, '')), `${length}`);
  }
});

test('returns null for bytes that do not begin with SETTINGS', () => {
  for (const first of [windowUpdateFrame(1), headersFrame(null), frame(99, 0, 0, Buffer.alloc(3)), Buffer.alloc(0)]) {
    assert.equal(parseHttp2Preface(Buffer.concat([first, settingsFrame()]).subarray(0, first.length + 4)), null);
  }
});
