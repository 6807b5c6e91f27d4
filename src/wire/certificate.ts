/** Reads extensions of an X.509 certificate (RFC 5280 §4.2) in time proportional to their length. */
import { ByteReader, CutShort, readBytes } from './byte-reader.ts';

/** An element of DER (ITU-T X.690 §8.1). */
interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
}

interface CertificateExtensions {
  /** The first DNS names and IP addresses of the subject, an address as its octets; empty if they are malformed. */
  readonly names: readonly (string | Uint8Array)[];
  readonly omittedNames: number;
  /** Where the certificate of the issuer is published (§4.2.2.1); null if it does not state it. */
  readonly issuerUrl: string | null;
  /** The id of the log of each embedded signed certificate timestamp (RFC 6962 §3.3); null if they are malformed. */
  readonly sctLogs: readonly Uint8Array[] | null;
}

/** The field `extensions` of a TBSCertificate. */
const extensionsTag = 0xa3;
/** Identifiers in DER. */
const subjectAltName = '551d11';
const authorityKeyIdentifier = '551d23';
const authorityInfoAccess = '2b06010505070101';
const caIssuers = '2b06010505073002';
/** 1.3.6.1.4.1.11129.2.4.2 */
const sctList = '2b06010401d679020402';
/** Tags of the serial number (§4.1.2.2), and of the key in an authority key identifier (§4.2.1.1). */
const integer = 0x02;
const keyIdentifier = 0x80;
/** Tags of a GeneralName (§4.2.1.6). */
const dnsName = 0x82;
const uri = 0x86;
const ipAddress = 0x87;

/** Of several extensions of a kind, the first counts. Null if the certificate is malformed. */
export function readExtensions(certificate: Uint8Array, maxNames: number): CertificateExtensions | null {
  const values = readBytes(certificate, valuesOf);
  if (values === null) return null;
  /** `absent`: the result without the extension; null if it is malformed. */
  const read = <Value>(id: string, absent: Value, readValue: (value: DerElement) => Value): Value | null => {
    const value = values.get(id);
    return value === undefined ? absent : readBytes(value, (reader) => readValue(readElement(reader)));
  };
  const names = read(subjectAltName, [], elementsOf)?.filter(isName) ?? [];
  return {
    names: names.slice(0, maxNames).map(({ tag, content }) => (tag === dnsName ? textOf(content) : content)),
    omittedNames: Math.max(0, names.length - maxNames),
    issuerUrl: read(authorityInfoAccess, null, issuerUrlOf),
    sctLogs: read(sctList, [], logsOf),
  };
}

/** What identifies a certificate among those of its issuer, as the content of the elements; null if it is malformed, or lacks the key. */
export function readIssuance(
  certificate: Uint8Array,
): { readonly authorityKey: Uint8Array; readonly serialNumber: Uint8Array } | null {
  const value = readBytes(certificate, valuesOf)?.get(authorityKeyIdentifier);
  const parts = value && readBytes(value, (reader) => elementsOf(readElement(reader)));
  const authorityKey = parts?.find(({ tag }) => tag === keyIdentifier)?.content;
  const serialNumber = readBytes(certificate, (reader) => elementsOf(elementsOf(readElement(reader))[0]))?.find(
    ({ tag }) => tag === integer,
  )?.content;
  return authorityKey === undefined || serialNumber === undefined ? null : { authorityKey, serialNumber };
}

function valuesOf(reader: ByteReader): ReadonlyMap<string, Uint8Array> {
  const [tbsCertificate] = elementsOf(readElement(reader));
  const extensions = elementsOf(tbsCertificate).find(({ tag }) => tag === extensionsTag);
  const values = new Map<string, Uint8Array>();
  if (extensions === undefined) return values;
  for (const extension of elementsOf(elementsOf(extensions)[0])) {
    // An optional element in the middle states whether it is critical.
    const [id, ...rest] = elementsOf(extension);
    const key = hexadecimalOf(id);
    if (!values.has(key)) values.set(key, contentOf(rest.at(-1)));
  }
  return values;
}

const isName = ({ tag, content: { length } }: DerElement): boolean =>
  tag === dnsName || (tag === ipAddress && (length === 4 || length === 16));

function issuerUrlOf(value: DerElement): string | null {
  for (const description of elementsOf(value)) {
    const [method, location] = elementsOf(description);
    if (location?.tag === uri && hexadecimalOf(method) === caIssuers) return textOf(location.content);
  }
  return null;
}

/** After a byte with the version, an id of 32 bytes (§3.2). */
const logsOf = ({ content }: DerElement): Uint8Array[] =>
  new ByteReader(new ByteReader(content).vector(2)).all((reader) =>
    new ByteReader(reader.vector(2)).take(33).subarray(1),
  );

function readElement(reader: ByteReader): DerElement {
  const tag = reader.byte();
  const first = reader.byte();
  return { tag, content: reader.take(first < 0x80 ? first : readLength(reader, first & 0x7f)) };
}

/** More than four bytes: no certificate is as long. */
function readLength(reader: ByteReader, bytes: number): number {
  if (bytes < 1 || bytes > 4) throw new CutShort();
  return reader.number(bytes as 1 | 2 | 3 | 4);
}

const elementsOf = (element: DerElement | undefined): DerElement[] =>
  new ByteReader(contentOf(element)).all(readElement);

function contentOf(element: DerElement | undefined): Uint8Array {
  if (element === undefined) throw new CutShort();
  return element.content;
}

/** An IA5String, whose characters are ASCII; others are taken as Latin-1. */
const textOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');

const hexadecimalOf = (element: DerElement | undefined): string =>
  Array.from(contentOf(element), (byte) => byte.toString(16).padStart(2, '0')).join('');
