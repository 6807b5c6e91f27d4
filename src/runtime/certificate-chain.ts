/** Validates the file of TLS_CERT: some mistakes end the start, and others cause a warning, because some clients accept them. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type Settings, variableOf } from '../core/settings.ts';

const block = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/** The certificates of a PEM text, each once; throws if one is malformed. */
function parseChain(pem: string): readonly X509Certificate[] {
  const all = [...pem.matchAll(block)].map(([text]) => new X509Certificate(text));
  return [...new Map(all.map((each) => [each.fingerprint256, each])).values()];
}

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  certificate !== issuer && certificate.checkIssued(issuer);

/** Returns a sentence that states why the file is not one chain that begins with the certificate of the key; null if it is. */
export function chainProblem({ cert, key }: Readonly<Record<'cert' | 'key', string>>, certFile: string): string | null {
  const chain = parseChain(cert);
  const [first, ...others] = chain;
  const privateKey = createPrivateKey(key);
  if (first?.checkPrivateKey(privateKey) === false && others.some((each) => each.checkPrivateKey(privateKey)))
    return `TLS_CERT: "${certFile}" is in the wrong order; the certificate of TLS_KEY comes first, then its issuer`;
  const ofServers = chain.filter((each) => !each.ca && !chain.some((other) => isIssuedBy(other, each)));
  if (ofServers.length > 1)
    return `TLS_CERT: "${certFile}" contains several server certificates; use one certificate with all names`;
  return null;
}

/** Returns a sentence if a certificate has expired that must not replace the valid one before it; null if it may. */
export function replacementProblem(before: string, renewed: string, certFile: string): string | null {
  const nowMs = Date.now();
  const { validToDate } = new X509Certificate(renewed);
  if (validToDate.getTime() > nowMs || new X509Certificate(before).validToDate.getTime() <= nowMs) return null;
  return `TLS_CERT: "${certFile}" expired on ${validToDate.toISOString()}`;
}

type PublicUrls = Pick<Settings, 'publicUrl' | 'publicUrlV4' | 'publicUrlV6'>;

/** Yields a sentence for each reason for which some clients reject the certificate. */
export function* describeWeaknesses(cert: string, urls: PublicUrls): Generator<string> {
  const [leaf, ...others] = parseChain(cert);
  if (leaf === undefined) return;
  const isSelfSigned = leaf.issuer === leaf.subject && leaf.verify(leaf.publicKey);
  if (!isSelfSigned && !others.some((each) => isIssuedBy(leaf, each))) {
    const issuer = /^CN=(.*)$/m.exec(leaf.issuer)?.[1] ?? leaf.issuer.replaceAll('\n', ', ');
    yield `TLS_CERT does not contain the certificate of its issuer, "${issuer}": clients that do not have it reject the connection; use the file with the whole chain, such as fullchain.pem`;
  }
  for (const { host, variable } of httpsHostsOf(urls))
    if (!isCovered(leaf, host))
      yield `TLS_CERT does not cover ${host}, the host of ${variable}: clients reject the connection`;
}

/** Yields a sentence for each public host that the certificates of ACME_DOMAIN will not cover. */
export function* describeMissingDomains(settings: PublicUrls & Pick<Settings, 'acmeDomain'>): Generator<string> {
  if (settings.acmeDomain.length === 0) return;
  for (const { host, variable } of httpsHostsOf(settings))
    if (!settings.acmeDomain.includes(host))
      yield `ACME_DOMAIN does not contain ${host}, the host of ${variable}: clients reject the connection`;
}

/** Yields the hosts of public https URLs, and the variables that name them. */
function* httpsHostsOf(urls: PublicUrls): Generator<Readonly<Record<'host' | 'variable', string>>> {
  for (const name of ['publicUrl', 'publicUrlV4', 'publicUrlV6'] as const) {
    const url = urls[name];
    if (!url?.toLowerCase().startsWith('https:')) continue;
    const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
    yield { host, variable: variableOf(name) };
  }
}

/** Whether clients accept the certificate for a host name or address. */
export const isCovered = (certificate: X509Certificate, host: string): boolean =>
  (isIP(host) === 0 ? certificate.checkHost(host, { subject: 'never' }) : certificate.checkIP(host)) !== undefined;
