/** What `openssl s_client` and `openssl x509` print about a server, read as values. */
import { isIP } from 'node:net';
import { DEFAULT_CIPHERS } from 'node:tls';

export interface OpensslCertificate {
  readonly subject: string;
  readonly issuer: string;
  readonly serialNumber: string;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly fingerprint: string;
  readonly signatureAlgorithm: string;
  readonly key: { readonly algorithm: string; readonly bits: number; readonly curve: string | null };
  /** The line of subject alternative names; null without one. */
  readonly names: string | null;
  /** Log ids of the embedded timestamps, hexadecimal. */
  readonly sctLogs: readonly string[];
}

export interface OpensslView {
  readonly protocol: string | null;
  readonly cipher: string | null;
  readonly group: string | null;
  readonly alpn: string | null;
  readonly verifyCode: number;
  readonly nameMatches: boolean;
  readonly chain: readonly OpensslCertificate[];
  readonly acceptsOld: boolean;
}

interface Question {
  readonly address: string;
  /** File of the trusted roots. */
  readonly roots: string;
  readonly run: (command: string, args: readonly string[], input?: string) => Promise<string>;
}

const find = (text: string, pattern: RegExp): string | null => pattern.exec(text)?.[1]?.trim() ?? null;

export async function readServer(host: string, { address, roots, run }: Question): Promise<OpensslView> {
  const isLiteral = isIP(host) !== 0;
  const target = address.includes(':') ? `[${address}]:443` : `${address}:443`;
  const client = (...options: readonly string[]): Promise<string> =>
    run('openssl', [
      ...['s_client', '-connect', target, ...(isLiteral ? ['-noservername'] : ['-servername', host])],
      ...['-no-CApath', '-no-CAstore', '-CAfile', roots, '-cipher', `${DEFAULT_CIPHERS}:@SECLEVEL=0`, ...options],
    ]);
  const printed = await client('-showcerts', '-alpn', 'h2,http/1.1');
  const old = await client('-tls1');
  const pems = printed.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const check = [isLiteral ? '-checkip' : '-checkhost', host];
  const checked = await run('openssl', ['x509', '-noout', ...check], pems[0]);
  return {
    protocol: find(printed, /^New, (.*), Cipher is (?!\(NONE\))/m)?.replace(/^TLSv1\.0$/, 'TLSv1') ?? null,
    cipher: find(printed, /^New, .*, Cipher is (?!\(NONE\))(.*)$/m),
    group: find(printed, /^Server Temp Key: (?:ECDH, )?([^,]*),/m),
    alpn: find(printed, /^ALPN protocol: (.*)$/m),
    verifyCode: Number(find(printed, /Verify return code: (\d+)/)),
    nameMatches: checked.includes('does match'),
    // Thousands of one certificate are enough once.
    chain: await Promise.all(pems.slice(0, 12).map((pem) => readCertificate(pem, run))),
    acceptsOld: /^New, TLSv1.0, Cipher is (?!\(NONE\))/m.test(old),
  };
}

const known = new Map<string, Promise<OpensslCertificate>>();

function readCertificate(pem: string, run: Question['run']): Promise<OpensslCertificate> {
  const reading = known.get(pem) ?? printCertificate(pem, run);
  known.set(pem, reading);
  return reading;
}

async function printCertificate(pem: string, run: Question['run']): Promise<OpensslCertificate> {
  // One attribute for each comma, in the order of the certificate, with short names.
  const form = 'sname,sep_comma_plus_space,esc_2253,esc_ctrl,utf8';
  const fields = ['-subject', '-issuer', '-serial', '-startdate', '-enddate', '-fingerprint', '-sha256', '-text'];
  const text = await run('openssl', ['x509', '-noout', '-nameopt', form, ...fields], pem);
  const names = find(text, /X509v3 Subject Alternative Name: *(?:critical)?\n *(.*)$/m);
  const bits = find(text, /Public-Key: \((\d+) bit\)/);
  const curve = find(text, /ASN1 OID: (.*)$/m);
  const algorithm = find(text, /Public Key Algorithm: (.*)$/m) ?? '';
  return {
    subject: find(text, /^subject=(.*)$/m) ?? '',
    issuer: find(text, /^issuer=(.*)$/m) ?? '',
    serialNumber: find(text, /^serial=(.*)$/m) ?? '',
    notBefore: Date.parse(find(text, /^notBefore=(.*)$/m) ?? ''),
    notAfter: Date.parse(find(text, /^notAfter=(.*)$/m) ?? ''),
    fingerprint: find(text, /^sha256 Fingerprint=(.*)$/im) ?? '',
    signatureAlgorithm: find(text, /^ {4}Signature Algorithm: (.*)$/m) ?? '',
    key: { algorithm, bits: Number(bits), curve },
    names,
    sctLogs: [...text.matchAll(/Log ID {4}: ([\dA-F:\s]+?)\n +Timestamp/g)].map(([, id = '']) =>
      id.replace(/[:\s]/g, ''),
    ),
  };
}
