/** ClientHello parsing and fingerprints: published vectors, fragmentation, mutations. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseClientHello } from '../../src/client/fingerprint/client-hello.ts';
import { digestsOf } from '../../src/edges/node/observe.ts';
import { joinRecords, readClientHello } from '../../src/ingress/first-bytes.ts';
import { check, mutationOf } from '../random.ts';
import { clientHello, inRecords, recut } from './hello-bytes.ts';

/** Cipher suites as sent, and Cloudflare's published or measured hash of them. */
const cipherVectors = [
  ['130113021303', '3HTt3+R/6BL3zeALJDSq0pR1yOQ='],
  ['130113031302', 'majgAKUWrKK75XCpDQDr/Sf7Eyw='],
  ['dada130113021303', '2SKCJrVPJ5Gw3bPf1m2zIZskTlo='],
  ['aaaa130113021303c02bc02fc02cc030cca9cca8c013c014009c009d002f0035', 'cG3ksVXz5z5aMztJKpmN9By5SR8='],
] as const;

/** Debian's curl 7.88 with OpenSSL 3: 31 suites, without and with the renegotiation signal at the end. */
const curlSuites =
  '130213031301c02cc030009fcca9cca8ccaac02bc02f009ec024c028006bc023c0270067c00ac0140039c009c0130033009d009c003d003c0035002f';

test('hashes cipher suites as Cloudflare does, GREASE included', () => {
  for (const [suites, expected] of cipherVectors) {
    const body = clientHello({ cipherSuites: Buffer.from(suites, 'hex') });
    assert.equal(digestsOf(body).clientCiphersSha1, expected, suites);
  }
});

/** The 59 suites of Node 20's fetch. */
const node20Suites =
  '130213031301c02fc02bc030c02c009ec0270067c028006b00a3009fcca9cca8ccaac0afc0adc0a3c09fc05dc061c057c05300a2c0aec0acc0a2' +
  'c09ec05cc060c056c052c024006ac0230040c00ac01400390038c009c01300330032009dc0a1c09dc051009cc0a0c09cc050003d003c0035002f00ff';

test('hashes the suites of curl with OpenSSL 3, with and without the renegotiation signal, and of Node 20', () => {
  const without = clientHello({ cipherSuites: Buffer.from(curlSuites, 'hex') });
  assert.equal(digestsOf(without).clientCiphersSha1, 'hCCNuWP9ky6AR69i97wdKYbhFQo=');
  const withSignal = clientHello({ cipherSuites: Buffer.from(`${curlSuites}00ff`, 'hex') });
  assert.equal(digestsOf(withSignal).clientCiphersSha1, 'GXSPDLP4G3X+prK73a4wBuOaHRc=');
  const node20 = clientHello({ cipherSuites: Buffer.from(node20Suites, 'hex') });
  assert.equal(digestsOf(node20).clientCiphersSha1, 'JZtiTn8H/ntxORk+XXvU2EvNoz8=');
});

test('hashes the extension ids of Node 20 in the order received, with server name and ALPN', () => {
  const ids = [0, 11, 10, 35, 16, 22, 23, 13, 43, 45, 51];
  const body = clientHello({ extensions: ids.map((id) => ({ id, content: Buffer.alloc(id % 4) })) });
  assert.equal(digestsOf(body).clientExtensionsSha1, 'Y7DIC8A6G0/aXviZ8ie/xDbJb7g=');
});

test('returns the length of the body, without record and handshake headers', () => {
  const body = clientHello({});
  assert.equal(digestsOf(body).clientHelloLength, body.length);
});

test('has no extension hash for a hello without an extension block', () => {
  const { clientExtensionsSha1, clientHelloLength } = digestsOf(clientHello({ extensions: null }));
  assert.equal(clientExtensionsSha1, null);
  assert.notEqual(clientHelloLength, null);
});

/** Joins a copy, and reads it. */
function read(received: Buffer) {
  const joined = joinRecords(Buffer.from(received));
  return { joined, reading: readClientHello(joined) };
}

test('finds the same body in any division into records and segments', () => {
  const body = clientHello({});
  for (const recordBytes of [1, 2, 3, 4, 5, 7, 100, body.length, 16_384]) {
    const bytes = inRecords(body, recordBytes);
    for (let received = 0; received < bytes.length; received += 1) {
      const { joined, reading } = read(bytes.subarray(0, received));
      assert.ok(typeof reading === 'number', `${recordBytes}, ${received}`);
      // More bytes are needed, and all that follow suffice.
      const missing = reading - joined.length;
      assert.ok(missing > 0 && missing <= bytes.length - received, `${recordBytes}, ${received}, ${missing}`);
    }
    const more = Buffer.from('more');
    const { joined, reading } = read(Buffer.concat([bytes, more]));
    assert.deepEqual(reading, { body });
    assert.deepEqual(joined, Buffer.concat([inRecords(body, 16_384), more]));
  }
});

test('joins 10,000 records of one byte as they arrive, and tries few times', () => {
  const body = clientHello({ extensions: [{ id: 21, content: Buffer.alloc(9_915) }] });
  const bytes = inRecords(body, 1);
  assert.equal(bytes.length, 6 * 10_000);
  let held: Buffer = Buffer.alloc(0);
  let needed = 1;
  let attempts = 0;
  let mostHeld = 0;
  for (let at = 0; at < bytes.length; at += 3) {
    held = Buffer.concat([held, bytes.subarray(at, at + 3)]);
    mostHeld = Math.max(mostHeld, held.length);
    if (held.length < needed) continue;
    attempts += 1;
    const { joined, reading } = read(held);
    held = joined;
    if (typeof reading === 'number') needed = reading;
    else {
      assert.deepEqual(reading, { body });
      break;
    }
  }
  assert.deepEqual(held, inRecords(body, 16_384));
  assert.ok(attempts < 100, `${attempts} attempts`);
  assert.ok(mostHeld < 10_100, `${mostHeld} bytes`);
});

test('joins no record that is incomplete, empty, of another kind, or beyond the size of one', () => {
  const first = '160301000101';
  for (const next of ['', '16', '1603010002ff', '160301000016', '1703030001ff', '1604010001ff', '150303000202']) {
    const bytes = Buffer.from(first + next, 'hex');
    assert.deepEqual(joinRecords(Buffer.from(bytes)), bytes, next);
  }
  const afterEmpty = Buffer.from(`1603010000${first}`, 'hex');
  assert.deepEqual(joinRecords(Buffer.from(afterEmpty)), afterEmpty);
  const large = recut(Buffer.alloc(20_000, 1), 15_000);
  assert.deepEqual(joinRecords(Buffer.from(large)), large);
});

test('recognizes by the first bytes what is not TLS', () => {
  for (const text of [
    'GET / HTTP/1.1\r\n',
    'SSH-2.0-x\r\n',
    '\x80\x2e\x01\x03\x01',
    '\x15\x03\x01\x00\x02\x02\x28',
    '\x16\x02',
  ]) {
    assert.deepEqual(readClientHello(Buffer.from(text, 'latin1')), { unread: 'not-tls' }, text);
  }
  const serverHello = inRecords(clientHello({}), 16_384);
  serverHello[5] = 2;
  assert.deepEqual(readClientHello(serverHello), { unread: 'not-tls' });
});

test('reports a hello larger than 16 KB, or that claims to be, as oversized', () => {
  assert.deepEqual(readClientHello(Buffer.from('16030100040100ffff', 'hex')), { unread: 'oversized' });
  const large = clientHello({ extensions: [{ id: 21, content: Buffer.alloc(20_000) }] });
  for (const recordBytes of [1, 1000, 16_384])
    assert.deepEqual(read(inRecords(large, recordBytes)).reading, { unread: 'oversized' });
  // The second record has more than the rest of the message.
  const message = inRecords(clientHello({ extensions: [{ id: 21, content: Buffer.alloc(15_900) }] }), 16_384).subarray(
    5,
  );
  const overlong = recut(Buffer.concat([message, Buffer.alloc(2_000)]), 15_000);
  assert.deepEqual(read(overlong).reading, { unread: 'oversized' });
});

test('takes another record than one of the handshake within a hello for something else', () => {
  const beginning = inRecords(clientHello({}), 16_384).subarray(5, 55);
  for (const next of ['17', '1602', '1603010000', '15030300020228'])
    assert.deepEqual(read(Buffer.concat([recut(beginning, 50), Buffer.from(next, 'hex')])).reading, {
      unread: 'not-tls',
    });
});

test('returns nulls or a valid fingerprint for mutated hellos', () => {
  const originals = [
    clientHello({}),
    clientHello({ extensions: null }),
    clientHello({ cipherSuites: Buffer.alloc(64, 0xda) }),
  ];
  const appended = fc.option(fc.record({ original: fc.constantFrom(...originals), from: fc.nat() }), { freq: 4 });
  const mutation = fc.record({ start: mutationOf(originals), appended, recordBytes: fc.integer({ min: 1, max: 64 }) });
  let refused = 0;
  const rounds = check(200_000, mutation, ({ start, appended, recordBytes }) => {
    const end = appended === null ? [] : [appended.original.subarray(appended.from % appended.original.length)];
    const mutated = Buffer.concat([start, ...end]);
    const parsed = parseClientHello(mutated);
    const print = digestsOf(mutated);
    if (parsed === null) {
      refused += 1;
      assert.deepEqual(Object.values(print), [null, null, null]);
    } else {
      assert.equal(print.clientHelloLength, mutated.length);
      assert.notEqual(print.clientCiphersSha1, null);
      assert.equal(print.clientExtensionsSha1 === null, parsed.extensions === null);
    }
    assert.doesNotThrow(() => readClientHello(mutated));
    assert.deepEqual(read(inRecords(mutated, recordBytes)).reading, readClientHello(inRecords(mutated, 16_384)));
  });
  assert.ok(refused > 0.1 * rounds && refused < 0.9 * rounds, `${refused} of ${rounds} were refused`);
});
