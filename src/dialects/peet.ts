/** The shape of TrackMe, the software of tls.peet.ws: https://github.com/pagpeter/TrackMe */
import { md5 } from '../client/fingerprint/digests.ts';
import type { Named } from '../client/fingerprint/names.ts';
import { type DialectRequest, type DialectRow, indent, mediaTypes, omitUnknown, rowsOf } from './dialect.ts';
import { type SentFingerprint, type SentFrame, sentFingerprint } from './sent-frames.ts';

const hex = (id: number): string => `0x${id.toString(16).padStart(4, '0')}`;
const isGrease = ({ name }: Named): boolean => name === 'GREASE';

/** Names that differ from IANA's. */
const otherNames: Readonly<Record<string, string>> = {
  encrypted_client_hello: 'extensionEncryptedClientHello (boringssl)',
  renegotiation_info: 'extensionRenegotiationInfo (boringssl)',
  x25519: 'X25519',
  x448: 'X448',
  secp256r1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
  'application_settings (old)': 'application_settings',
  psk_dhe_ke: 'PSK with (EC)DHE key establishment (psk_dhe_ke)',
};

/** A name with its number. */
const label = (value: Named): string =>
  isGrease(value)
    ? `TLS_GREASE (${hex(value.id)})`
    : `${otherNames[value.name ?? ''] ?? value.name ?? 'unknown'} (${value.id})`;

/** A name alone. */
const nameOf = (value: Named): string => (isGrease(value) ? label(value) : (value.name ?? hex(value.id)));

/** The members beside the name of an extension, by its id. */
const contentsOf = (tls: SentFingerprint['tls']): Readonly<Record<number, object>> => ({
  0: { server_name: tls.serverName },
  10: { supported_groups: tls.supportedGroups?.map(label) },
  11: { elliptic_curves_point_formats: tls.ecPointFormats?.map(({ id }) => hex(id).replace('00', '')) },
  13: { signature_algorithms: tls.signatureAlgorithms?.map(nameOf) },
  16: { protocols: tls.alpn },
  21: { padding_data_length: tls.extensions?.find(({ id }) => id === 21)?.length },
  27: { algorithms: tls.certificateCompression?.map(label) },
  43: { versions: tls.supportedVersions?.map((version) => nameOf(version).replace(/^TLSv/, 'TLS ')) },
  45: { PSK_Key_Exchange_Mode: tls.pskModes?.map(label).join(', ') },
});

/** Lists joined by `-`, extensions sorted as text, without the random values of GREASE; described in TrackMe's README. */
export function peetprintOf(tls: SentFingerprint['tls']): string {
  const ids = (list: readonly Named[] | null): string[] =>
    list?.map((each) => (isGrease(each) ? 'GREASE' : String(each.id))) ?? [];
  return [
    ids(tls.supportedVersions),
    tls.alpn?.map((name) => name.replace(/^(?:h|http\/)(?=\d)/, '')) ?? [],
    ids(tls.supportedGroups),
    ids(tls.signatureAlgorithms),
    ids(tls.pskModes),
    ids(tls.certificateCompression),
    ids(tls.cipherSuites),
    ids(tls.extensions).sort(),
  ]
    .map((part) => part.join('-'))
    .join('|');
}

function hashesOf({ tls, ja3, ja4, ja4_r }: SentFingerprint): object {
  const peetprint = tls.cipherSuites === null ? '' : peetprintOf(tls);
  return {
    ja3: ja3.text ?? '',
    ja3_hash: ja3.hash ?? '',
    ja4: ja4 ?? '',
    ja4_r: ja4_r ?? '',
    peetprint,
    peetprint_hash: peetprint && md5(peetprint),
  };
}

function tlsOf(print: SentFingerprint): object | null {
  const { tls, negotiatedVersion } = print;
  if (tls.cipherSuites === null) return null;
  const contents = contentsOf(tls);
  return {
    ciphers: tls.cipherSuites.map((suite) => nameOf(suite).replace(/[\da-f]+(?=\))/, (id) => id.toUpperCase())),
    extensions: tls.extensions?.map((each) => ({ name: label(each), ...omitUnknown(contents[each.id] ?? {}) })) ?? [],
    tls_version_record: String(tls.legacyVersion?.id ?? ''),
    tls_version_negotiated: String(negotiatedVersion ?? ''),
    ...hashesOf(print),
    // They identify one connection, and no client needs them.
    client_random: '',
    session_id: '',
  };
}

const httpVersionOf = ({ http }: SentFingerprint): string => http.version?.replace(/^HTTP\/(?=[23])/, 'h') ?? '';

/** `END_STREAM` becomes `EndStream (0x1)`. */
const flagOf = ({ id, name }: Named): string =>
  `${name?.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())} (0x${id.toString(16)})`;

function describeFrame({ id, name, streamId, length, ...frame }: SentFrame): object {
  const { settings, increment, priority, flagNames, fields } = frame;
  return omitUnknown({
    frame_type: name ?? `UNKNOWN (${id})`,
    stream_id: streamId || null,
    length,
    settings: settings?.map((each) => `${each.name ?? `UNKNOWN_SETTING_${each.id}`} = ${each.value}`),
    increment,
    headers: fields?.map((field) => field.join(': ')),
    flags: flagNames?.map(flagOf),
    priority: priority && {
      weight: priority.weight,
      depends_on: priority.dependsOn,
      exclusive: Number(priority.exclusive),
    },
  });
}

function all({ observed, about }: DialectRequest): string {
  const print = sentFingerprint(observed);
  const { akamai, frames, http1 } = print;
  const ip = about.ip ?? '';
  return indent({
    ip: observed.port === null ? ip : `${ip.includes(':') ? `[${ip}]` : ip}:${observed.port}`,
    http_version: httpVersionOf(print),
    method: observed.method,
    ...omitUnknown({ user_agent: observed.headers['user-agent'] }),
    tls: tlsOf(print),
    ...omitUnknown({
      http1: http1 && { headers: http1.map((field) => field.join(': ')) },
      http2: frames && {
        akamai_fingerprint: akamai.text,
        akamai_fingerprint_hash: akamai.hash,
        sent_frames: frames.map(describeFrame),
      },
    }),
    // TrackMe fills them from a later packet, which this service does not observe.
    tcpip: { ip: {}, tcp: {} },
  });
}

function clean({ observed }: DialectRequest): string {
  const print = sentFingerprint(observed);
  const { text, hash } = print.akamai;
  return indent({
    ...hashesOf(print),
    akamai: text ?? '-',
    akamai_hash: hash ?? '-',
    http_version: httpVersionOf(print),
  });
}

const tls = ({ observed }: DialectRequest): string => indent({ tls: tlsOf(sentFingerprint(observed)) });

export const peet: readonly DialectRow[] = rowsOf(mediaTypes.utf8Json, [
  ['/api/all', 'TLS, HTTP and TCP handshake with its fingerprints', all],
  ['/api/clean', 'Fingerprints only', clean],
  ['/api/tls', 'TLS handshake with its fingerprints', tls],
]);
