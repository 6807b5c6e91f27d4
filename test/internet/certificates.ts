/** The certificate authority of a simulated internet, which signs a certificate on its first use. */
import { generateKeyPairSync } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { generate } from 'selfsigned';

/** Defect of a certificate. */
export type CertificateFlaw = 'expired' | 'self-signed' | 'other-name';

export interface Authority {
  /** PEM. */
  readonly certificate: string;
  /** Signs a certificate for these names and addresses; PEM. */
  sign(names: readonly string[], flaw?: CertificateFlaw): Promise<{ cert: string; key: string }>;
  /** The same as a TLS context, created once per name. */
  context(name: string, flaw?: CertificateFlaw): Promise<SecureContext>;
}

const day = 86_400_000;

export async function createAuthority(): Promise<Authority> {
  const own = keyPair();
  const leaf = keyPair();
  const common = { keyType: 'ec', algorithm: 'sha256' } as const;
  const { cert: certificate } = await generate([{ name: 'commonName', value: 'Simulated internet' }], {
    ...common,
    keyPair: own,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  const contexts = new Map<string, Promise<SecureContext>>();

  const sign: Authority['sign'] = async (names, flaw) => {
    const first = flaw === 'other-name' ? ['other-name.invalid'] : names;
    const begin = Date.now() - (flaw === 'expired' ? 30 : 1) * day;
    const { cert } = await generate([{ name: 'commonName', value: first[0] ?? '' }], {
      ...common,
      keyPair: leaf,
      ...(flaw !== 'self-signed' && { ca: { key: own.privateKey, cert: certificate } }),
      notBeforeDate: new Date(begin),
      notAfterDate: new Date(begin + 20 * day),
      extensions: [
        { name: 'basicConstraints', cA: false },
        { name: 'extKeyUsage', serverAuth: true },
        {
          name: 'subjectAltName',
          altNames: first.map((name) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name })),
        },
      ],
    });
    return { cert, key: leaf.privateKey };
  };

  const context: Authority['context'] = (name, flaw) => {
    const made = contexts.get(name) ?? sign([name], flaw).then(createSecureContext);
    contexts.set(name, made);
    return made;
  };

  return { certificate, sign, context };
}

function keyPair(): { privateKey: string; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}
