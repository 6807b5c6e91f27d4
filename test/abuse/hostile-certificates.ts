/** Certificates whose keys, names and number cost a client much. Nobody has signed them: a client finds that out last. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';

/** An element of DER (ITU-T X.690). */
function encode(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const length = Buffer.from(content.length.toString(16).padStart(6, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x83]), length, content]);
}

const sequence = (...contents: readonly Uint8Array[]): Buffer => encode(0x30, ...contents);
const octets = (...contents: readonly Uint8Array[]): Buffer => encode(0x04, ...contents);
const bits = (content: Uint8Array): Buffer => encode(0x03, Buffer.from([0]), content);
const identifier = (hex: string): Buffer => encode(0x06, Buffer.from(hex, 'hex'));
/** A positive number has a first bit of 0. */
const integer = (bytes: Uint8Array): Buffer => encode(0x02, Buffer.from((bytes[0] as number) < 0x80 ? [] : [0]), bytes);
const time = (text: string): Buffer => encode(0x17, Buffer.from(text));
const nameOf = (commonName: string): Buffer =>
  sequence(encode(0x31, sequence(identifier('550403'), encode(0x0c, Buffer.from(commonName)))));
const authority = sequence(identifier('551d13'), octets(sequence(Buffer.from([1, 1, 0xff]))));

/** An odd number with its first and last bit set. */
function oddNumber(bitCount: number): Buffer {
  const bytes = randomBytes(bitCount / 8);
  bytes[0] = (bytes[0] as number) | 0x80;
  bytes[bytes.length - 1] = (bytes.at(-1) as number) | 1;
  return bytes;
}

/** A key, and a signature that only a computation with the key shows to be wrong. */
export interface HostileKey {
  readonly key: Buffer;
  readonly signature: Buffer;
  readonly algorithm: Buffer;
}

interface Wish {
  readonly subject: string;
  readonly issuer: string;
  readonly key: Uint8Array;
  readonly signedWith: HostileKey;
  readonly extension: Uint8Array;
}

function certify({ subject, issuer, key, signedWith, extension }: Wish): Buffer {
  const { signature, algorithm } = signedWith;
  const validity = sequence(time('250101000000Z'), time('490101000000Z'));
  const toBeSigned = sequence(
    encode(0xa0, integer(Buffer.from([2]))),
    integer(oddNumber(64)),
    ...[algorithm, nameOf(issuer), validity, nameOf(subject), key],
    encode(0xa3, sequence(extension)),
  );
  return sequence(toBeSigned, algorithm, bits(signature));
}

/** An RSA key with an exponent that has only ones. */
export const rsaKey = (modulusBits: number, exponentBits: number): HostileKey => ({
  key: sequence(
    sequence(identifier('2a864886f70d010101'), Buffer.from([5, 0])),
    bits(sequence(integer(oddNumber(modulusBits)), integer(Buffer.alloc(exponentBits / 8, 0xff)))),
  ),
  // Less than the modulus.
  signature: Buffer.alloc(modulusBits / 8, 0x5a),
  algorithm: sequence(identifier('2a864886f70d01010b'), Buffer.from([5, 0])),
});

export const ellipticKey = (namedCurve: string): HostileKey => ({
  key: generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'der', type: 'spki' }),
  signature: sequence(integer(Buffer.alloc(32, 0x5a)), integer(Buffer.alloc(32, 0x5a))),
  algorithm: sequence(identifier('2a8648ce3d040302')),
});

const toPem = (label: string, der: Buffer): string =>
  [`-----BEGIN ${label}-----`, ...(der.toString('base64').match(/.{1,64}/g) ?? []), `-----END ${label}-----`, ''].join(
    '\n',
  );

/** Parameters of a key exchange in a field, which nobody checks for being one. */
export const fieldOf = (bitCount: number): string =>
  toPem('DH PARAMETERS', sequence(integer(oddNumber(bitCount)), integer(Buffer.from([2]))));

export interface ChainWish {
  readonly maxBytes: number;
  /** Key of each authority. */
  readonly authorityKey?: HostileKey;
  /** Whether all have one name, so that each may have issued each. */
  readonly hasOneName?: boolean;
  readonly names?: number;
}

/** A certificate with its key, and as many authorities as there is room for; PEM. */
export function makeChain({ maxBytes, authorityKey, hasOneName = false, names = 1 }: ChainWish) {
  const signedWith = authorityKey ?? ellipticKey('P-256');
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const hostNames = Array.from({ length: names }, () => encode(0x82, Buffer.from('a.test')));
  const subjectName = (at: number): string => (hasOneName ? 'x' : `${at}`);
  const chain = [
    certify({
      subject: subjectName(0),
      issuer: subjectName(1),
      key: publicKey.export({ format: 'der', type: 'spki' }),
      signedWith,
      extension: sequence(identifier('551d11'), octets(sequence(...hostNames))),
    }),
  ];
  for (let at = 1, left = maxBytes - (chain[0]?.length ?? 0); authorityKey !== undefined; at += 1) {
    const names = { subject: subjectName(at), issuer: subjectName(at + 1) };
    const next = certify({ ...names, key: authorityKey.key, signedWith, extension: authority });
    left -= next.length + 10;
    if (left < 0) break;
    chain.push(next);
  }
  return {
    key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
    cert: chain.map((each) => toPem('CERTIFICATE', each)).join(''),
  };
}
