/** Handshakes and certificates for tests: without a fault, changed by each test. */
import type { Handshake, Handshakes, ObservedCertificate, Peer } from '../../../src/core/tls/handshakes.ts';

export const nowMs = Date.UTC(2026, 10, 28);
const day = 86_400_000;

export const certificateOf = (changed: Partial<ObservedCertificate> = {}): ObservedCertificate => ({
  subject: 'CN=a.example',
  issuer: "C=US\nO=Let's Encrypt\nCN=R12",
  serialNumber: '01',
  notBeforeMs: nowMs - 10 * day,
  notAfterMs: nowMs + 80 * day - 1_000,
  names: ['a.example'],
  omittedNames: 0,
  key: { type: 'ec', bits: null, curve: 'prime256v1' },
  signatureAlgorithm: 'sha256WithRSAEncryption',
  fingerprint: 'AA',
  scts: 2,
  sctLogs: ['1219ENGn9XfCx+lf1wC/+YLJM1pl4dCzAXMXwMjFaXc=', 'AAAA'],
  issuerUrl: 'http://r12.i.lencr.org/',
  isSelfIssued: false,
  ...changed,
});

export const intermediate = certificateOf({
  subject: "C=US\nO=Let's Encrypt\nCN=R12",
  issuer: 'C=US\nO=Internet Security Research Group\nCN=ISRG Root X1',
  names: [],
  key: { type: 'rsa', bits: 2048, curve: null },
  fingerprint: 'BB',
});

export const peerOf = (changed: Partial<Peer> = {}): Peer => ({
  chain: [certificateOf(), intermediate],
  omitted: 0,
  matchedName: 'a.example',
  path: [0, 1],
  root: 'C=US\nO=Internet Security Research Group\nCN=ISRG Root X1',
  verifyError: null,
  ...changed,
});

export const handshakeOf = (changed: Partial<Handshake> = {}): Handshake => ({
  address: '192.0.2.1',
  outcome: 'ok',
  detail: null,
  protocol: 'TLSv1.3',
  cipher: 'TLS_AES_128_GCM_SHA256',
  group: 'X25519',
  alpn: 'h2',
  elapsedMs: 12.4,
  peer: peerOf(),
  ...changed,
});

export const handshakesOf = (changed: Partial<Handshakes> = {}): Handshakes => ({
  handshakes: [handshakeOf()],
  omitted: 0,
  unknownVersions: [],
  oldVersions: handshakeOf({ outcome: 'alert', detail: 'protocol_version', protocol: null, peer: null }),
  ...changed,
});
