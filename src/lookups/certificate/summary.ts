/** Makes the result of a certificate lookup from what the handshakes showed. */
import type { Handshake, Handshakes, ObservedCertificate, Peer } from '../../core/tls/handshakes.ts';
import { type CaaSearch, issuerPermitted } from './caa.ts';
import { ctLogs } from './data/ct-logs.ts';
import { maxLifetimes } from './data/lifetimes.ts';
import { attributeOf, formatName, shortNameOf } from './distinguished-name.ts';
import {
  type AddressHandshake,
  type Certificate,
  type CertificateCheck,
  type Finding,
  type SentCertificate,
  verdictOf,
} from './schema.ts';
import { chainComplete, nameMatches, notesOf, strong, trusted, withinValidity } from './verdicts.ts';

interface Observed {
  readonly host: string;
  readonly port: number;
  readonly found: Handshakes;
  readonly caa: CaaSearch;
  readonly nowMs: number;
}

export function summarize(observed: Observed): CertificateCheck {
  const { host, port, found } = observed;
  const byChain = Map.groupBy(
    found.handshakes.filter(({ peer }) => peer !== null),
    ({ peer }) => chainKeyOf(peer as Peer),
  );
  return {
    host,
    port,
    addresses: found.handshakes.map(describeHandshake),
    moreAddresses: found.omitted,
    certificates: [...byChain.values()].map((handshakes) => describeCertificate(handshakes, observed)),
    verdicts: [
      verdictOf('sameOnAllAddresses', sameOnAllAddresses(found, byChain.size)),
      verdictOf('oldProtocolsRejected', oldProtocolsRejected(found)),
    ],
  };
}

const chainKeyOf = ({ chain, omitted }: Peer): string =>
  [omitted, ...chain.map(({ fingerprint }) => fingerprint)].join(' ');

const describeHandshake = ({ peer, ...handshake }: Handshake): AddressHandshake => ({
  ...handshake,
  elapsedMs: Math.round(handshake.elapsedMs),
  fingerprint: peer?.chain[0].fingerprint ?? null,
});

const dayMs = 86_400_000;

function describeCertificate(handshakes: readonly Handshake[], { host, caa, nowMs }: Observed): Certificate {
  // One whose handshake was complete, so that its chain was verified.
  const { peer } = handshakes.find(({ outcome }) => outcome === 'ok') ?? handshakes[0] ?? {};
  if (!peer) throw new TypeError('a certificate has a handshake');
  const [first] = peer.chain;
  const { notBeforeMs, notAfterMs, issuer } = first;
  // A part of a day counts as one. Both ends are included (RFC 5280 §4.1.2.5), which counts for the maximum (Baseline Requirements §6.3.2).
  const lifetimeDays = Math.ceil((notAfterMs - notBeforeMs) / dayMs);
  const countedDays = Math.ceil((notAfterMs - notBeforeMs + 1_000) / dayMs);
  const issued = formatTime(notBeforeMs);
  const [since, maxLifetimeDays] = maxLifetimes.find(([from]) => issued >= from) ?? ['', 0];
  const trust = trusted(peer, nowMs);
  const isTooLong = trust.value === true && countedDays > maxLifetimeDays;
  const lifetimeNote = `Its lifetime counts as ${countedDays} days; since ${since}, publicly trusted authorities may issue for at most ${maxLifetimeDays}.`;
  return {
    addresses: handshakes.map(({ address }) => address),
    issuedBy: attributeOf(issuer, 'O') ?? shortNameOf(issuer),
    names: [...first.names],
    moreNames: first.omittedNames,
    daysLeft: Math.floor((notAfterMs - nowMs) / dayMs),
    lifetimeDays,
    maxLifetimeDays,
    scts: first.scts,
    sctLogs: first.sctLogs.map((id) => ctLogs.get(id) ?? id),
    chain: peer.chain.map(describeSent),
    moreCertificates: peer.omitted,
    notes: [...notesOf(peer), ...(isTooLong ? [lifetimeNote] : [])],
    verdicts: [
      verdictOf('trusted', trust),
      verdictOf('nameMatches', nameMatches(peer, host)),
      verdictOf('chainComplete', chainComplete(peer)),
      verdictOf('withinValidity', withinValidity(peer, nowMs)),
      verdictOf('strong', strong(peer)),
      verdictOf('issuerPermitted', issuerPermitted(caa, peer.matchedName, issuer)),
    ],
  };
}

const describeSent = (certificate: ObservedCertificate): SentCertificate => ({
  subject: formatName(certificate.subject),
  issuer: formatName(certificate.issuer),
  serialNumber: certificate.serialNumber,
  notBefore: formatTime(certificate.notBeforeMs),
  notAfter: formatTime(certificate.notAfterMs),
  key: certificate.key,
  signatureAlgorithm: certificate.signatureAlgorithm,
  fingerprint: certificate.fingerprint,
});

const formatTime = (ms: number): string => new Date(ms).toISOString().replace('.000', '');

function sameOnAllAddresses({ handshakes, omitted, unknownVersions }: Handshakes, chains: number): Finding {
  const withPeer = handshakes.filter(({ peer }) => peer !== null);
  if (chains > 1) return { value: false, reason: `The addresses sent ${chains} different certificates or chains.` };
  const silent = handshakes.filter(({ peer }) => peer === null).map(({ address }) => address);
  const gaps = [
    ...(silent.length > 0 ? [`no certificate from ${silent.join(', ')}`] : []),
    ...unknownVersions.map((version) => `DNS failed for the IPv${version} addresses`),
    ...(omitted > 0 ? [`addresses not tested: ${omitted}`] : []),
  ];
  if (gaps.length > 0) return { value: null, reason: `Not known: ${gaps.join('; ')}.` };
  const count = withPeer.length;
  return { value: true, reason: count === 1 ? 'The host has one address.' : `All ${count} addresses sent the same.` };
}

/** Any alert rejects them, because the address has accepted a handshake with all versions. */
function oldProtocolsRejected({ oldVersions }: Handshakes): Finding {
  if (oldVersions === null) return { value: null, reason: 'Not tested, for lack of a handshake.' };
  const { address, outcome, detail, protocol, peer } = oldVersions;
  // The certificate follows the choice of the version.
  if (peer !== null)
    return { value: false, reason: `${address} accepts ${protocol ?? 'one of them'}; turn off TLS 1.0 and 1.1.` };
  if (outcome === 'closed' || outcome === 'alert')
    return { value: true, reason: `${address} rejects TLS 1.0 and 1.1 (${detail ?? 'closes the connection'}).` };
  return { value: null, reason: `The test with ${address} failed: ${detail ?? outcome}.` };
}
