/** A certificate for localhost (RFC 5280), generated without a library: the libraries for it take a quarter of a start, and 18 MB. */
import { generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';

const validityMs = 90 * 86_400_000;

/** Tags of ASN.1 (ITU-T X.690). */
const tags = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
  version: 0xa0,
  extensions: 0xa3,
  dnsName: 0x82,
  ipAddress: 0x87,
} as const;

/** Encoded object identifiers. */
const oids = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  basicConstraints: '551d13',
  keyUsage: '551d0f',
  extKeyUsage: '551d25',
  serverAuth: '2b06010505070301',
  subjectAltName: '551d11',
} as const;

/** Encodes one value in DER. */
function encode(tag: keyof typeof tags, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tags[tag], ...size]), content]);
}

const sequence = (...values: readonly Uint8Array[]): Buffer => encode('sequence', ...values);
const oid = (name: keyof typeof oids): Buffer => encode('oid', Buffer.from(oids[name], 'hex'));
const bits = (bytes: Uint8Array, unused = 0): Buffer => encode('bits', Buffer.from([unused]), bytes);
const extension = (name: keyof typeof oids, value: Buffer): Buffer => sequence(oid(name), encode('octets', value));
/** Without the century and separators. */
const utcTime = (ms: number): Buffer =>
  encode('utcTime', Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replaceAll(/\D/g, '')}Z`));

const extensions = sequence(
  extension('basicConstraints', sequence()),
  // digitalSignature, the first of 8 bits.
  extension('keyUsage', bits(Buffer.from([0x80]), 7)),
  extension('extKeyUsage', sequence(oid('serverAuth'))),
  extension(
    'subjectAltName',
    sequence(
      encode('dnsName', Buffer.from('localhost')),
      encode('ipAddress', Buffer.from([127, 0, 0, 1])),
      encode('ipAddress', Buffer.from([...new Uint8Array(15), 1])),
    ),
  ),
);

/** Generates a certificate for localhost and the loopback addresses, with a new key; both are PEM. */
export function createLocalhostCertificate(): { readonly cert: string; readonly key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const algorithm = sequence(oid('ecdsaWithSha256'));
  const name = sequence(encode('set', sequence(oid('commonName'), encode('utf8', Buffer.from('localhost')))));
  const nowMs = Date.now();
  const signed = sequence(
    encode('version', encode('integer', Buffer.from([2]))),
    // The first byte keeps it positive, in as few bytes as possible.
    encode('integer', Buffer.from([1]), randomBytes(15)),
    algorithm,
    name,
    sequence(utcTime(nowMs), utcTime(nowMs + validityMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    encode('extensions', extensions),
  );
  const certificate = sequence(signed, algorithm, bits(sign('sha256', signed, privateKey)));
  return {
    cert: new X509Certificate(certificate).toString(),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
