/** Findings about a certificate and its chain, from what a server sent. */

import { clip, formatCount } from '../../core/text.ts';
import type { ObservedCertificate, Peer } from '../../core/tls/handshakes.ts';
import { attributeOf, shortNameOf } from './distinguished-name.ts';
import type { Finding } from './schema.ts';

const minRsaBits = 2_048;
/** Weaker curves have less than the 112 bits of security of that RSA key; authorities use P-256 and larger ones. */
const minCurveBits = 224;

/** OpenSSL's names of curves state their size: `prime192v1`. Null for a name without one. */
function bitsOfCurve({ key }: ObservedCertificate): number | null {
  const size = /\d{3}/.exec(key?.curve ?? '')?.[0];
  return size === undefined ? null : Number(size);
}

const met = (reason: string): Finding => ({ value: true, reason });
const failed = (reason: string): Finding => ({ value: false, reason });
const unknown = (reason: string): Finding => ({ value: null, reason });

const subjectOf = ({ subject }: ObservedCertificate): string => clip(shortNameOf(subject));
const issuerOf = ({ issuer }: ObservedCertificate): string => clip(shortNameOf(issuer));
const pathOf = ({ chain, path }: Peer): readonly ObservedCertificate[] => path.flatMap((at) => chain[at] ?? []);
/** The first certificate has no name: a verdict is about it. */
const phraseOf = (certificate: ObservedCertificate, { chain }: Peer): string =>
  certificate === chain[0] ? 'The certificate' : `${subjectOf(certificate)} in the chain`;

const isOver = 'has expired.';
const isEarly = 'is not valid yet.';
const wasNotSent = 'was not sent, so that the chain ends there.';
/** Ends of reasons not to trust a chain that another verdict states, too. */
export const ofOtherConditions: readonly string[] = [
  `The certificate ${isOver}`,
  `The certificate ${isEarly}`,
  wasNotSent,
];

export function trusted(peer: Peer, nowMs: number): Finding {
  const { chain, root, verifyError } = peer;
  if (verifyError === undefined) return unknown('The handshake ended before the chain was verified.');
  if (verifyError === null)
    return met(root === null ? 'OpenSSL trusts it.' : `It chains to ${clip(shortNameOf(root))}.`);
  const path = pathOf(peer);
  const last = path.at(-1) ?? chain[0];
  if (root === null) {
    if (lacksIntermediate(peer)) return failed(`The certificate of its issuer, ${issuerOf(last)}, ${wasNotSent}`);
    if (last === chain[0] && last.isSelfIssued) return failed('The certificate is self-signed.');
    return failed(
      last.isSelfIssued
        ? `The chain ends with ${subjectOf(last)}, which is not a trusted root.`
        : `${issuerOf(last)}, the issuer of the last certificate, is not a trusted root, and its certificate was not sent.`,
    );
  }
  const expired = path.find(({ notAfterMs }) => notAfterMs < nowMs);
  if (expired) return failed(`${phraseOf(expired, peer)} ${isOver}`);
  const early = path.find(({ notBeforeMs }) => notBeforeMs > nowMs);
  if (early) return failed(`${phraseOf(early, peer)} ${isEarly}`);
  return failed(`OpenSSL rejects it: ${verifyError}.`);
}

/** An authority issues from an intermediate, and states where its certificate is published. */
const lacksIntermediate = ({ chain: [first], path, root }: Peer): boolean =>
  root === null && path.length === 1 && !first.isSelfIssued && first.issuerUrl !== null;

export function chainComplete(peer: Peer): Finding {
  const path = pathOf(peer);
  const last = path.at(-1) ?? peer.chain[0];
  if (peer.root !== null || peer.verifyError === null) return met('The server sent every intermediate certificate.');
  if (last.isSelfIssued) return met('The chain ends with a self-signed certificate.');
  const url = last.issuerUrl === null ? '' : ` It is published at ${clip(last.issuerUrl, 300)}`;
  if (lacksIntermediate(peer))
    return failed(`The certificate of its issuer, ${issuerOf(last)}, was not sent; add it to the chain.${url}`);
  if (peer.omitted > 0) return unknown('The chain is too long to be read whole.');
  return unknown(
    `${issuerOf(last)} was not sent and is not a trusted root: a missing intermediate, or a root that is not known here.${url}`,
  );
}

export function nameMatches({ chain: [first], matchedName }: Peer, host: string): Finding {
  if (matchedName !== null) return met(`${clip(matchedName)} matches.`);
  const { names, omittedNames } = first;
  const commonName = attributeOf(first.subject, 'CN');
  if (names.length === 0)
    return failed(
      `It has no DNS name or IP address as subject alternative name${commonName === null ? '.' : `; clients ignore the common name, ${clip(commonName)}.`}`,
    );
  const labels = host.split('.').length;
  const wildcard = names.find(
    (name) => name.startsWith('*.') && host.endsWith(name.slice(1)) && name.split('.').length < labels,
  );
  if (wildcard !== undefined) return failed(`${clip(wildcard)} covers one label only, not ${clip(host)}.`);
  const shown = names.slice(0, 3).map((name) => clip(name));
  const more = names.length + omittedNames - shown.length;
  return failed(`It is for ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}, not for ${clip(host)}.`);
}

export function withinValidity({ chain: [{ notBeforeMs, notAfterMs }] }: Peer, nowMs: number): Finding {
  if (nowMs > notAfterMs) return failed(`It expired on ${dayOf(notAfterMs)}.`);
  if (nowMs < notBeforeMs) return failed(`It is valid only from ${dayOf(notBeforeMs)}.`);
  return met(`It is valid until ${dayOf(notAfterMs)}.`);
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The signature of a root does not matter: nobody verifies it. */
export function strong(peer: Peer): Finding {
  const path = pathOf(peer);
  for (const each of path) {
    const { key, signatureAlgorithm, isSelfIssued } = each;
    const phrase = phraseOf(each, peer);
    if (!isSelfIssued && /sha-?1(?!\d)|md[245]/i.test(signatureAlgorithm ?? ''))
      return failed(`${phrase} is signed with ${signatureAlgorithm}; use SHA-256.`);
    if (key && key.bits !== null && key.bits < minRsaBits)
      return failed(`${phrase} has a key of ${key.bits} bits (${key.type.toUpperCase()}); use ${minRsaBits} or more.`);
    const curveBits = bitsOfCurve(each);
    if (curveBits !== null && curveBits < minCurveBits)
      return failed(`${phrase} has a key of ${curveBits} bits (${key?.curve}); use the curve prime256v1.`);
  }
  const unread = path.find(({ key, signatureAlgorithm }) => key === null || signatureAlgorithm === null);
  if (unread !== undefined) return unknown(`Key or signature of ${subjectOf(unread)} is not known to OpenSSL.`);
  if (peer.root === null && peer.verifyError === null)
    return unknown('An authority above has a key of a kind that public authorities do not use, which was not checked.');
  const pss = path.find(({ signatureAlgorithm }) => signatureAlgorithm === 'rsassaPss');
  if (pss !== undefined)
    return unknown(`The signature of ${subjectOf(pss)}, RSASSA-PSS, was not checked for its hash.`);
  return met('Keys and signatures are strong.');
}

/** Observations about the order and the number of the certificates. */
export function notesOf(peer: Peer): string[] {
  const { chain, path, root, omitted } = peer;
  const notes: string[] = [];
  if (path.some((at, n) => n > 0 && at < (path[n - 1] ?? 0)))
    notes.push('The chain is in the wrong order; send each certificate before that of its issuer.');
  for (const [at, certificate] of chain.entries()) {
    if (path.includes(at)) continue;
    notes.push(
      certificate.isSelfIssued && certificate.subject === root
        ? `The root, ${subjectOf(certificate)}, was sent too; clients have it.`
        : `${subjectOf(certificate)} was sent, but is not part of the chain.`,
    );
  }
  if (omitted > 0)
    notes.push(
      `The server sent ${formatCount(omitted, 'more certificate')}, which ${omitted === 1 ? 'was' : 'were'} not read.`,
    );
  return notes;
}
