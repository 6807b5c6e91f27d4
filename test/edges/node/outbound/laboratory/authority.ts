/** Certificates of the laboratory, made with the `openssl` program: authorities, and leaves with any fault. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const day = 86_400_000;
export const daysFromNow = (days: number): Date => new Date(Math.floor(Date.now() / 1_000) * 1_000 + days * day);

export interface CertificateWish {
  readonly name: string;
  /** As in `openssl req -subj`. */
  readonly subject?: string;
  /** Lines of the extension section; `[section]` begins another. */
  readonly extensions?: readonly string[];
  /** Options of `openssl genpkey`. */
  readonly key?: readonly string[];
  readonly digest?: string;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** As in `openssl x509 -set_serial`; if absent, a random number. It is then valid for 80 days from now. */
  readonly serial?: string;
  /** Options of `openssl ca` for the signature. */
  readonly signature?: readonly string[];
  /** Null: it signs itself. */
  readonly issuer: Made | null;
}

export interface Made {
  /** Path without the suffix `.pem`. */
  readonly file: string;
  readonly keyFile: string;
  readonly pem: string;
}

export const keys = {
  rsa: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
  rsa1023: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1023'],
  rsa1024: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024'],
  p256: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  rsaPss: ['-algorithm', 'RSA-PSS', '-pkeyopt', 'rsa_keygen_bits:2048'],
  rsaPss1024: ['-algorithm', 'RSA-PSS', '-pkeyopt', 'rsa_keygen_bits:1024'],
  p384: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  p521: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-521'],
  brainpool: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:brainpoolP256r1'],
  ed448: ['-algorithm', 'ED448'],
  ed25519: ['-algorithm', 'ED25519'],
} as const;

/** The option of OpenSSL's configuration files for a time. */
const formatTime = (date: Date): string => `${date.toISOString().replace(/[-:T]|\.\d+/g, '')}`;

export const certificateAuthority = ['basicConstraints=critical,CA:true', 'keyUsage=keyCertSign,cRLSign'];

/** Makes certificates in a folder. */
export function openAuthority(folder: string) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.txt'), '');
  const config = join(folder, 'ca.cnf');
  writeFileSync(
    config,
    `[ca]\ndefault_ca=here\n[here]\ndatabase=${folder}/index.txt\nnew_certs_dir=${folder}\nrand_serial=yes\nunique_subject=no\npolicy=any\ndefault_md=sha256\n[any]\ncountryName=optional\norganizationName=optional\ncommonName=optional\n[req]\ndistinguished_name=dn\n[dn]\n`,
  );
  const openssl = (...args: readonly string[]): string =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' });

  // Fresh for an authority, which is known by its key; leaves share one for each kind.
  const made = new Map<CertificateWish['key'], string>();
  const keyFileOf = (name: string, key: NonNullable<CertificateWish['key']>, isShared: boolean): string => {
    const known = isShared ? made.get(key) : undefined;
    if (known !== undefined) return known;
    const file = join(folder, `${name}.key`);
    openssl('genpkey', ...key, '-out', file);
    if (isShared) made.set(key, file);
    return file;
  };

  return function make(wish: CertificateWish): Made {
    const { name, subject = `/CN=${name}`, extensions = [], key = keys.p256, digest = 'sha256', issuer } = wish;
    const { notBefore = daysFromNow(-1), notAfter = daysFromNow(80), serial, signature = [] } = wish;
    const file = join(folder, name);
    const keyFile = keyFileOf(name, key, !extensions.includes(certificateAuthority[0] ?? ''));
    openssl('req', '-new', '-config', config, '-utf8', '-key', keyFile, '-subj', subject, '-out', `${file}.csr`);
    writeFileSync(`${file}.ext`, `${extensions.join('\n')}\n`);
    if (serial !== undefined && issuer !== null) {
      openssl(
        ...['x509', '-req', '-CA', `${issuer.file}.pem`, '-CAkey', issuer.keyFile, '-set_serial', serial],
        ...['-days', '80', '-extfile', `${file}.ext`, '-in', `${file}.csr`, '-out', `${file}.pem`],
      );
      return { file, keyFile, pem: readFileSync(`${file}.pem`, 'utf8') };
    }
    const signer =
      issuer === null
        ? ['-selfsign', '-keyfile', keyFile]
        : ['-cert', `${issuer.file}.pem`, '-keyfile', issuer.keyFile];
    openssl(
      ...['ca', '-batch', '-config', config, '-notext', '-utf8', '-preserveDN', ...signer],
      ...['-startdate', formatTime(notBefore), '-enddate', formatTime(notAfter)],
      ...['-md', key === keys.ed25519 && issuer === null ? 'default' : digest, '-extfile', `${file}.ext`],
      ...['-in', `${file}.csr`, '-out', `${file}.pem`, ...signature],
    );
    return { file, keyFile, pem: readFileSync(`${file}.pem`, 'utf8') };
  };
}
