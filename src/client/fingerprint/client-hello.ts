/** Parses the body of a TLS ClientHello and the extensions that fingerprints and people read (RFC 8446 §4.1.2 and §4.2). */
import { type ByteReader, readBytes } from '../../wire/byte-reader.ts';
import { transportParameterNames } from './data/quic-names.ts';
import { extensionIds, groupNames, hpkeAeadNames, hpkeKdfNames } from './data/tls-names.ts';
import { type Named, named, nameWide, safeNumber } from './names.ts';

export type ClientHello = Readonly<NonNullable<ReturnType<typeof parseClientHello>>>;

const randomBytes = 32;

/**
 * Parses a ClientHello body, which is without record and handshake headers; null if it is malformed. The lists are in wire order;
 * `extensions` is null if the message has no extension block.
 */
export function parseClientHello(body: Uint8Array) {
  return readBytes(body, (reader) => {
    const legacyVersion = reader.number(2);
    reader.take(randomBytes);
    reader.vector(1);
    const cipherSuites = reader.numbers(2, 2);
    const compressionMethods = reader.numbers(1, 1);
    const block = reader.isAtEnd ? null : reader.vector(2);
    if (!reader.isAtEnd) return null;
    const extensions = block && readBytes(block, readExtensions);
    if (block !== null && extensions === null) return null;
    return { legacyVersion, cipherSuites, compressionMethods, extensions };
  });
}

const readExtensions = (reader: ByteReader) => reader.all(() => ({ id: reader.number(2), content: reader.vector(2) }));

/** A ClientHello with the contents of single extensions; each is null if the extension is absent or malformed. */
export type WholeClientHello = ClientHello & Readonly<ReturnType<typeof extensionValuesOf>>;

/** Parses a ClientHello body and the contents of its extensions; null if the message is malformed. */
export function parseWholeClientHello(body: Uint8Array): WholeClientHello | null {
  const hello = parseClientHello(body);
  return hello && { ...hello, ...extensionValuesOf(hello) };
}

/** Returns the content of an extension; null if it is absent or malformed. */
function readExtension<Value>({ extensions }: ClientHello, id: number, parse: (reader: ByteReader) => Value) {
  const extension = extensions?.find((each) => each.id === id);
  return extension === undefined ? null : readBytes(extension.content, parse);
}

function extensionValuesOf(hello: ClientHello) {
  const read = <Value>(id: number, parse: (reader: ByteReader) => Value) => readExtension(hello, id, parse);
  return {
    serverName: read(extensionIds.serverName, readServerName),
    supportedGroups: read(extensionIds.supportedGroups, (reader) => reader.numbers(2, 2)),
    ecPointFormats: read(extensionIds.ecPointFormats, (reader) => reader.numbers(1, 1)),
    signatureAlgorithms: read(extensionIds.signatureAlgorithms, (reader) => reader.numbers(2, 2)),
    alpn: read(extensionIds.alpn, readAlpn),
    certificateCompression: read(extensionIds.compressCertificate, (reader) => reader.numbers(1, 2)),
    supportedVersions: read(extensionIds.supportedVersions, (reader) => reader.numbers(1, 2)),
    pskModes: read(extensionIds.pskKeyExchangeModes, (reader) => reader.numbers(1, 1)),
    keyShares: read(extensionIds.keyShare, readKeyShares),
    encryptedClientHello: read(extensionIds.encryptedClientHello, readEncryptedClientHello),
  };
}

const hostName = 0;

const readServerName = (reader: ByteReader): Uint8Array | null =>
  readBytes(reader.vector(2), (list) => {
    while (list.number(1) !== hostName) list.vector(2);
    return list.vector(2);
  });

const readAlpn = (reader: ByteReader): Uint8Array[] | null =>
  readBytes(reader.vector(2), (list) => list.all(() => list.vector(1)));

const readKeyShares = (reader: ByteReader): (Named & { readonly length: number })[] | null =>
  readBytes(reader.vector(2), (list) =>
    list.all(() => ({ ...named(list.number(2), groupNames), length: list.vector(2).length })),
  );

const outerClientHello = 0;

/** The outer extension of RFC 9849 §5; a client that does not use it sends a random one of the same form (§6.2). */
function readEncryptedClientHello(reader: ByteReader) {
  if (reader.number(1) !== outerClientHello) return null;
  return {
    kdf: named(reader.number(2), hpkeKdfNames),
    aead: named(reader.number(2), hpkeAeadNames),
    configId: reader.number(1),
    encLength: reader.vector(2).length,
    payloadLength: reader.vector(2).length,
  };
}

/** Returns the transport parameters of QUIC (RFC 9000 §18) in the order sent; null if the extension is absent or malformed. */
export const transportParametersOf = (hello: ClientHello) =>
  readExtension(hello, extensionIds.quicTransportParameters, (reader) => reader.all(readParameter));

/** RFC 9000 §18.1. */
const greaseRemainder = 27n;

/** Reads a parameter; its value is null if the content is not one integer. */
function readParameter(reader: ByteReader) {
  const id = nameWide(reader.wideVarint(), transportParameterNames, greaseRemainder);
  const content = reader.take(reader.varint());
  const value = readBytes(content, (inner) => {
    const number = inner.wideVarint();
    return inner.isAtEnd ? safeNumber(number) : null;
  });
  return { ...id, value, length: content.length };
}
