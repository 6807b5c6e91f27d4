/** What certificates of OpenSSL show is compared in `test/edges/node/outbound/handshakes-laboratory.heavy.test.ts`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readExtensions, readIssuance } from '../../src/wire/certificate.ts';
import { check, mutationOf } from '../random.ts';

const bytesOf = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
const hexOf = (text: string): string => Buffer.from(text, 'latin1').toString('hex');

/** An element of DER, with a length of three bytes: longer than necessary, which decoders accept. */
const element = (tag: string, ...contents: readonly string[]): string => {
  const content = contents.join('');
  return `${tag}82${(content.length / 2).toString(16).padStart(4, '0')}${content}`;
};

const vector = (content: string): string => `${(content.length / 2).toString(16).padStart(4, '0')}${content}`;
const extension = (id: string, value: string, isCritical = false): string =>
  element('30', element('06', id), isCritical ? '0101ff' : '', element('04', value));
const sctExtension = (list: string, isCritical = false): string =>
  extension('2b06010401d679020402', element('04', list), isCritical);
const nameExtension = (...names: readonly string[]): string => extension('551d11', element('30', ...names));
const dnsName = (name: string): string => element('82', hexOf(name));
const accessExtension = (...descriptions: readonly (readonly [method: string, location: string])[]): string =>
  extension(
    '2b06010505070101',
    element('30', ...descriptions.map(([method, location]) => element('30', element('06', method), location))),
  );
const caIssuers = '2b06010505073002';
const uri = (text: string): string => element('86', hexOf(text));

const certificate = (...extensions: readonly string[]): Uint8Array =>
  bytesOf(
    element(
      '30',
      element('30', 'a003020102', '020101', element('30', ''), element('a3', element('30', ...extensions))),
      element('30', ''),
    ),
  );

const list = (...scts: readonly string[]): string => vector(scts.map(vector).join(''));
const read = (bytes: Uint8Array, maxNames = 100) => readExtensions(bytes, maxNames);
const logsOf = (...extensions: readonly string[]) =>
  read(certificate(...extensions))?.sctLogs?.map((id) => Buffer.from(id).toString('hex')) ?? null;
const log = 'ab'.repeat(32);
const other = 'cd'.repeat(32);

test('reads the logs of the embedded timestamps', () => {
  assert.deepEqual(logsOf(nameExtension(), sctExtension(list(`00${log}`, `00${other}0001`))), [log, other]);
  assert.deepEqual(logsOf(sctExtension(list(`00${log}`), true), nameExtension()), [log]);
  assert.deepEqual(logsOf(sctExtension(list()), sctExtension(list(`00${log}`))), []);
  assert.deepEqual(logsOf(nameExtension()), []);
  // A list that is longer than its extension, and a timestamp without a whole id.
  assert.equal(logsOf(sctExtension('0009000100')), null);
  assert.equal(logsOf(sctExtension(list('00ab'))), null);
});

test('reads the names of hosts and addresses, and counts those above a number', () => {
  const names = [
    dnsName('a.example'),
    '810141',
    '8704c0000201',
    '870102',
    element('87', '00'.repeat(16)),
    dnsName('b'),
  ];
  const { names: found, omittedNames } = read(certificate(nameExtension(...names))) ?? assert.fail();
  assert.deepEqual(found, ['a.example', new Uint8Array([192, 0, 2, 1]), new Uint8Array(16), 'b'].map(asRead));
  assert.equal(omittedNames, 0);
  const few = read(certificate(nameExtension(...names)), 2);
  assert.deepEqual([few?.names.length, few?.omittedNames], [2, 2]);
  assert.deepEqual(read(certificate(nameExtension('82057f')))?.names, []);
});

/** Views of bytes are Buffers here. */
const asRead = (name: string | Uint8Array) => (typeof name === 'string' ? name : Buffer.from(name));

test('finds where the certificate of the issuer is published', () => {
  const ocsp = ['2b06010505073001', uri('http://ocsp.example')] as const;
  const urlOf = (...descriptions: readonly (readonly [string, string])[]) =>
    read(certificate(accessExtension(...descriptions)))?.issuerUrl;
  assert.equal(urlOf(ocsp, [caIssuers, uri('http://a.example/a.crt')]), 'http://a.example/a.crt');
  assert.equal(urlOf([caIssuers, dnsName('a')], [caIssuers, uri('http://\xe4')]), 'http://\xe4');
  assert.equal(urlOf(ocsp), null);
  assert.equal(read(certificate())?.issuerUrl, null);
});

test('reads the serial number, and the key identifier of the issuer', () => {
  const issuanceOf = (...parts: readonly string[]) => {
    const { authorityKey, serialNumber } =
      readIssuance(certificate(extension('551d23', element('30', ...parts)))) ?? assert.fail();
    return [authorityKey, serialNumber].map((bytes) => Buffer.from(bytes).toString('hex'));
  };
  assert.deepEqual(issuanceOf('800300ff01'), ['00ff01', '01']);
  // Beside names and serial number of the issuer.
  assert.deepEqual(issuanceOf('8000', element('a1', dnsName('a')), '820105'), ['', '01']);
  const withoutKey = certificate(extension('551d23', element('30', '820105')));
  for (const each of [certificate(), withoutKey, certificate(extension('551d23', '3005')), new Uint8Array()])
    assert.equal(readIssuance(each), null);
});

test('a certificate without extensions has none, and a malformed one is not read', () => {
  const bare = bytesOf(element('30', element('30', '020101'), element('30', '')));
  assert.deepEqual(read(bare), { names: [], omittedNames: 0, issuerUrl: null, sctLogs: [] });
  const whole = certificate(sctExtension(list(`00${log}`)));
  for (let length = 0; length < whole.length; length += 1)
    assert.equal(read(whole.subarray(0, length)), null, `${length}`);
  // A length of five bytes.
  assert.equal(read(bytesOf('308500000000010000')), null);
});

test('reads random bytes without an exception', () => {
  const whole = certificate(
    nameExtension(dnsName('a'), '870400000000'),
    accessExtension([caIssuers, uri('http://a')]),
    sctExtension(list(`00${log}`, `00${other}0001`)),
    extension('551d23', element('30', '800300ff01')),
  );
  check(20_000, mutationOf([whole]), (bytes) => {
    const { names = [], sctLogs } = read(bytes, 1) ?? {};
    assert.ok((readIssuance(bytes)?.serialNumber.length ?? 0) <= bytes.length);
    assert.ok(names.length <= 1 && (sctLogs ?? []).every(({ length }) => length === 32));
  });
});
