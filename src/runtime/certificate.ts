/** The certificate of the HTTPS port: the operator's, or one generated for localhost. */
import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Settings } from '../core/settings.ts';
import { describeUnreadable, validateRegular } from '../edges/node/regular-file.ts';
import { chainProblem } from './certificate-chain.ts';

/** Both in PEM. */
export type Certificate = Readonly<Record<'cert' | 'key', string>>;

/** Forward secrecy and authenticated encryption: Mozilla's intermediate configuration without DHE. The client's order decides. */
const modernSuites = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  ...['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].flatMap((suite) => [
    `ECDHE-ECDSA-${suite}`,
    `ECDHE-RSA-${suite}`,
  ]),
].join(':');

/**
 * The TLS options that go with a certificate, at the start and at every renewal. The client's order of cipher suites decides, so that
 * `tls.cipher` is what it prefers. Browsers prefer AES-128, whose handshakes cost 8 % less than those with Node's first suite. A client
 * whose key share is of none of the groups gets a HelloRetryRequest (RFC 8446 §4.1.4). The library refuses renegotiation with the alert of
 * RFC 5246 §7.2.2: each costs a handshake, and HTTP/2 forbids it (RFC 9113 §9.2.1). With `tlsOldSuites`, Node's list of suites applies.
 */
export const secureContextOf = (
  certificate: Certificate,
  { tlsGroups, tlsOldSuites }: Pick<Settings, 'tlsGroups' | 'tlsOldSuites'>,
) => ({
  ...certificate,
  honorCipherOrder: false,
  ecdhCurve: groupListOf(tlsGroups),
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  ...(tlsOldSuites ? {} : { ciphers: modernSuites }),
});

/** Groups that older versions of OpenSSL do not know, so that they are not an operator's error. */
const newGroups: ReadonlySet<string> = new Set(['X25519MLKEM768']);

const isKnownGroup = (group: string): boolean => {
  try {
    createSecureContext({ ecdhCurve: group });
    return true;
  } catch {
    return false;
  }
};

/** Returns a sentence that names TLS_GROUPS if OpenSSL does not know one of the groups, unless it is a new one beside others; otherwise null. */
export function describeUnknownGroups(groups: readonly string[]): string | null {
  const unknown = groups.filter((group) => !isKnownGroup(group));
  const openssl = `TLS_GROUPS: OpenSSL ${process.versions.openssl}`;
  const mistaken = unknown.find((group) => !newGroups.has(group));
  if (mistaken !== undefined)
    return `${openssl} does not know the group "${mistaken}"; use names such as X25519 and P-256`;
  return unknown.length === groups.length ? `${openssl} knows none of ${groups.join(', ')}` : null;
}

/** Returns OpenSSL's list of the groups that it knows. */
const groupListOf = (groups: readonly string[]): string => groups.filter(isKnownGroup).join(':');

/** So long that it is not renewed: Apple's clients accept at most 825 days (https://support.apple.com/103769). */
const localhostDays = 824;

/** Generates a certificate for localhost and the loopback addresses, with a new key. */
export async function createLocalhostCertificate(): Promise<Certificate> {
  // Loaded here: it takes 18 MB, which an operator with a certificate does not need.
  const { generate } = await import('selfsigned');
  const notBeforeDate = new Date();
  const notAfterDate = new Date(notBeforeDate.getTime() + localhostDays * 86_400_000);
  const generated = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate,
    notAfterDate,
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  return { cert: generated.cert, key: generated.private };
}

/** Reads the certificate of the settings; null without one. Throws an Error that names the setting. */
export async function openCertificate({ tlsCert, tlsKey }: Settings): Promise<Certificate | null> {
  return tlsCert === null || tlsKey === null ? null : readCertificate(tlsCert, tlsKey);
}

/** Reads and checks a certificate chain and its key; throws an Error that names the setting. */
export async function readCertificate(certFile: string, keyFile: string): Promise<Certificate> {
  // Sequentially, so that two problems are always reported in the same order.
  const cert = await readPem('TLS_CERT', certFile);
  const key = await readPem('TLS_KEY', keyFile);
  const leaf = attempt(`TLS_CERT: "${certFile}" is not a PEM certificate`, () => new X509Certificate(cert));
  attempt(`TLS_CERT: "${certFile}" cannot be used as a certificate chain`, () => createSecureContext({ cert }));
  attempt(`TLS_KEY: "${keyFile}" is not an unencrypted PEM private key`, () => createPrivateKey(key));
  const problem = chainProblem({ cert, key }, certFile);
  if (problem !== null) throw new Error(problem);
  attempt(`TLS_KEY: "${keyFile}" is not the key of TLS_CERT (${leaf.subject})`, () =>
    createSecureContext({ cert, key }),
  );
  return { cert, key };
}

async function readPem(setting: string, file: string): Promise<string> {
  try {
    await validateRegular(file);
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new Error(
      file.includes(',')
        ? `${setting}: cannot read "${file}" (${code}); name one file with one certificate for all names`
        : `${setting}: ${describeUnreadable(file, code)}`,
    );
  }
}

/** Throws an Error with the problem if `run` throws. */
export function attempt<Result>(problem: string, run: () => Result): Result {
  try {
    return run();
  } catch {
    throw new Error(problem);
  }
}
