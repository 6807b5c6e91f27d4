/** The shape of tls.browserleaks.com. */
import { cipherSuiteNames } from '../client/fingerprint/data/cipher-suites.ts';
import { versionNames } from '../client/fingerprint/data/tls-names.ts';
import { type Named, named } from '../client/fingerprint/names.ts';
import { type DialectRequest, type DialectRow, indent, mediaTypes, omitUnknown, rowsOf } from './dialect.ts';
import { type SentFingerprint, type SentFrame, sentFingerprint } from './sent-frames.ts';

/** `TLSv1.3` is written `TLS 1.3`. */
const respell = ({ id, name }: Named): Named => ({ id, name: name?.replace(/^TLSv/, 'TLS ') ?? null });

/** The data of an extension by its id; a member is null if the extension is malformed. */
const dataOf = (tls: SentFingerprint['tls']): Readonly<Record<number, object>> => ({
  0: { server_name: tls.serverName },
  10: { named_group_list: tls.supportedGroups },
  11: { ec_point_format_list: tls.ecPointFormats },
  13: { supported_signature_algorithms: tls.signatureAlgorithms },
  16: { protocol_name_list: tls.alpn },
  27: { algorithms: tls.certificateCompression },
  43: { versions: tls.supportedVersions?.map(respell) },
  45: { ke_modes: tls.pskModes },
  51: { client_shares: tls.keyShares?.map(({ length, ...group }) => ({ group, key_exchange_length: length })) },
});

function extensionsOf(tls: SentFingerprint['tls']): object[] | undefined {
  const data = dataOf(tls);
  return tls.extensions?.map(({ id, name }) => {
    const known = omitUnknown(data[id] ?? {});
    return { id, name, ...(Object.keys(known).length > 0 && { data: known }) };
  });
}

function tlsOf({ tls, negotiatedVersion }: SentFingerprint, cipher: string | null): object {
  const [id] = [...cipherSuiteNames].find(([, name]) => name === cipher) ?? [];
  return omitUnknown({
    cipher_suite: cipher && omitUnknown({ id, name: cipher }),
    selected_version: negotiatedVersion && respell(named(negotiatedVersion, versionNames)),
    handshake_version: tls.legacyVersion && respell(tls.legacyVersion),
    cipher_suites: tls.cipherSuites,
    extensions: extensionsOf(tls),
  });
}

function describeFrame({ id, name, streamId, length, ...frame }: SentFrame): object {
  const { settings, increment, priority, flags, flagNames, fields } = frame;
  return omitUnknown({
    id,
    name,
    stream_id: streamId,
    length,
    settings: settings?.map((each) => ({ ...each, name: each.name && `SETTINGS_${each.name}` })),
    window_size_increment: increment,
    headers: fields && Object.fromEntries(fields),
    flags_raw: flagNames && flags,
    flags: flagNames,
    // HTTP/2 sends one less than the weight (RFC 7540 §6.3), and browserleaks.com shows that number.
    priority: priority && {
      weight: priority.weight - 1,
      stream_dependency: priority.dependsOn,
      exclusive: Number(priority.exclusive),
    },
  });
}

function json({ observed }: DialectRequest): string {
  const print = sentFingerprint(observed);
  const { ja3, ja3n, ja4, ja4_r, ja4_o, ja4_ro, akamai, h3, frames, http1 } = print;
  const texts = {
    user_agent: observed.headers['user-agent'],
    ja4,
    ja4_r,
    ja4_o,
    ja4_ro,
    ja3_hash: ja3.hash,
    ja3_text: ja3.text,
    ja3n_hash: ja3n.hash,
    ja3n_text: ja3n.text,
    akamai_hash: akamai.hash,
    akamai_text: akamai.text,
    ...(h3.text !== null && { h3_hash: h3.hash, h3_text: h3.text }),
  };
  return indent({
    ...Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, text ?? ''])),
    tls: tlsOf(print, observed.tls.cipher),
    http2: frames?.map(describeFrame) ?? null,
    http1: http1 && { headers: Object.fromEntries(http1) },
  });
}

export const browserleaks: readonly DialectRow[] = rowsOf(
  mediaTypes.json,
  ['', '/json', '/tls'].map((path) => [path, 'TLS and HTTP handshake with its fingerprints', json]),
);
