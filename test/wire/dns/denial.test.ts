/** Proofs of a compact denial of existence, and responses that contain one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from 'dns-packet';
import { nsec, nsec3 } from '../../../src/wire/dns/data/dns-parameters.ts';
import { deniesName } from '../../../src/wire/dns/denial.ts';
import { decodeResponse } from '../../../src/wire/dns/message.ts';
import { encodeResponse } from '../../lookups/dns/messages.ts';

const next = [1, 0, 1, 0x61, 0];
/** RRSIG, NSEC and NXNAME (46, 47 and 128), as Cloudflare sends them; and without NXNAME. */
const missing = [0, 17, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80];
const present = [0, 6, 0x40, 0, 0, 0, 0, 3];
/** CAA (257), in the second block. */
const second = [1, 1, 0x40];
const hash = [1, 0, 0, 0, 1, 0xab, 3, 1, 2, 3];

test('a proof denies the name only if its types contain NXNAME', () => {
  const denies = (type: number, ...octets: number[]) => deniesName({ type, octets: Uint8Array.from(octets) });
  assert.ok(denies(nsec, ...next, ...missing));
  assert.ok(denies(nsec, 0, ...missing, ...second));
  assert.ok(denies(nsec3, ...hash, ...missing));
  for (const [type, ...octets] of [
    [nsec, ...next, ...present],
    [nsec, ...next, ...present, ...second],
    [nsec, ...next, 1, ...missing.slice(1)],
    [nsec, ...next],
    [nsec3, ...hash, ...present],
    [16, ...next, ...missing],
  ] as [number, ...number[]][])
    assert.ok(!denies(type, ...octets), `${type}: ${octets}`);
  for (let length = 0; length < next.length + missing.length; length += 1)
    assert.ok(!denies(nsec, ...[...next, ...missing].slice(0, length)));
});

test('a response with NOERROR has NXDOMAIN if a proof denies the name, and no record of the type', () => {
  const name = 'nope.example.com';
  const proof = (types: number[]): Answer =>
    ({ name, type: 'UNKNOWN_47', ttl: 60, data: Buffer.from([...next, ...types]) }) as unknown as Answer;
  const rcodeOf = (authority: Answer, answers: Answer[] = []) =>
    decodeResponse(encodeResponse({ name, type: 'A', answers, authorities: [authority] }), name, 'A')?.rcode;
  assert.equal(rcodeOf(proof(missing)), 3);
  assert.equal(rcodeOf(proof(present)), 0);
  assert.equal(rcodeOf(proof(missing), [{ name, type: 'CNAME', data: 'gone.example.com' }]), 3);
  assert.equal(rcodeOf(proof(missing), [{ name, type: 'A', data: '192.0.2.1' }]), 0);
  const failed = encodeResponse({ name, type: 'A', status: 'SERVFAIL', authorities: [proof(missing)] });
  assert.equal(decodeResponse(failed, name, 'A')?.rcode, 2);
});
