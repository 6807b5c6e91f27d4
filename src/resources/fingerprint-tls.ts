/** The ClientHello with IANA's names, every list in wire order. */
import * as z from 'zod';
import type { WholeClientHello } from '../client/fingerprint/client-hello.ts';
import { cipherSuiteNames } from '../client/fingerprint/data/cipher-suites.ts';
import * as names from '../client/fingerprint/data/tls-names.ts';
import { isGrease, named, textOfBytes } from '../client/fingerprint/names.ts';
import { fieldOf, flagField, listField, nullsOf, textField } from '../core/field.ts';

export const Named = z
  .object({
    id: z.int().describe('Number on the wire'),
    name: z.string().nullable().describe('IANA’s name; GREASE for the values of RFC 8701; null if there is none'),
  })
  .meta({ id: 'NamedNumber', description: 'A number of a protocol with its name' });

const Sized = Named.extend({ length: z.int().describe('Length in bytes') });

export const namesField = fieldOf(z.array(Named).nullable());
const sizesField = fieldOf(z.array(Sized).nullable());

const EncryptedClientHello = z.object({
  kdf: Named,
  aead: Named,
  configId: z.int().describe('Number of the ECH configuration'),
  encLength: z.int().describe('Length of the encapsulated key in bytes'),
  payloadLength: z.int().describe('Length of the encrypted part in bytes'),
});

export const ClientHelloFields = z
  .object({
    legacyVersion: fieldOf(Named.nullable())(
      'Legacy version',
      'Version field of the ClientHello; TLS 1.3 clients write TLSv1.2 here',
    ),
    supportedVersions: namesField('Supported versions', 'Versions offered, the preferred first; null before TLS 1.3'),
    cipherSuites: namesField('Cipher suites', 'Cipher suites offered, the preferred first'),
    extensions: sizesField('Extensions', 'Extensions with the length of their content; Chromium shuffles them'),
    serverName: textField('Server name', 'Host name the client requested (SNI); null if it connected to an IP address'),
    alpn: listField('ALPN', 'Application protocols offered, such as h2; unprintable bytes as hex after 0x'),
    supportedGroups: namesField('Key exchange groups', 'Groups offered, post-quantum ones included'),
    signatureAlgorithms: namesField('Signature algorithms', 'Signature algorithms the client accepts'),
    keyShares: sizesField('Key shares', 'Groups for which a public key was sent, with its length'),
    ecPointFormats: namesField('EC point formats', 'Encodings of elliptic curve points'),
    certificateCompression: namesField('Certificate compression', 'Algorithms for compressed certificates (RFC 8879)'),
    pskModes: namesField('PSK modes', 'Key exchange modes for resumption'),
    sessionTicket: flagField('Session ticket', 'Whether the client supports session tickets (TLS 1.2)'),
    preSharedKey: flagField(
      'Pre-shared key',
      'Whether the client offered to resume a session; changes JA3, JA3N and JA4',
    ),
    earlyData: flagField('Early data', 'Whether the client offered data in its first flight (0-RTT)'),
    encryptedClientHello: fieldOf(EncryptedClientHello.nullable())(
      'Encrypted ClientHello',
      'Outer ECH extension (RFC 9849); a random one looks the same as one in use',
    ),
    grease: flagField('GREASE', 'Whether the client sent reserved random values (RFC 8701)'),
    compressionMethods: namesField('Compression methods', 'TLS compression methods; only NULL is safe'),
  })
  .meta({ id: 'ClientHello', description: 'ClientHello of the connection; all null if the edge did not observe it' });
export type ClientHelloFields = z.infer<typeof ClientHelloFields>;

const noHello = nullsOf(ClientHelloFields);

export function clientHelloFields(hello: WholeClientHello | null): ClientHelloFields {
  if (hello === null) return noHello;
  const { supportedVersions, supportedGroups, signatureAlgorithms, keyShares, encryptedClientHello } = hello;
  const extensions = hello.extensions ?? [];
  const ids = [hello.cipherSuites, supportedVersions, supportedGroups, signatureAlgorithms];
  const entries = [...extensions, ...(keyShares ?? [])];
  const has = (id: number): boolean => extensions.some((each) => each.id === id);
  const listed = (ids: readonly number[] | null, table: ReadonlyMap<number, string>) =>
    ids?.map((id) => named(id, table)) ?? null;
  return {
    legacyVersion: named(hello.legacyVersion, names.versionNames),
    supportedVersions: listed(supportedVersions, names.versionNames),
    cipherSuites: listed(hello.cipherSuites, cipherSuiteNames),
    extensions:
      hello.extensions &&
      extensions.map(({ id, content }) => ({ ...named(id, names.extensionNames), length: content.length })),
    serverName: hello.serverName && textOfBytes(hello.serverName),
    alpn: hello.alpn?.map(textOfBytes) ?? null,
    supportedGroups: listed(supportedGroups, names.groupNames),
    signatureAlgorithms: listed(signatureAlgorithms, names.signatureSchemeNames),
    keyShares,
    ecPointFormats: listed(hello.ecPointFormats, names.pointFormatNames),
    certificateCompression: listed(hello.certificateCompression, names.certificateCompressionNames),
    pskModes: listed(hello.pskModes, names.pskModeNames),
    sessionTicket: has(names.extensionIds.sessionTicket),
    preSharedKey: has(names.extensionIds.preSharedKey),
    earlyData: has(names.extensionIds.earlyData),
    encryptedClientHello,
    grease: ids.some((list) => list?.some(isGrease)) || entries.some(({ id }) => isGrease(id)),
    compressionMethods: listed(hello.compressionMethods, names.compressionMethodNames),
  };
}
