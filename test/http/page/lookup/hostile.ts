/** Results of lookups whose every text is hostile. */

import type { CertificateCheck } from '../../../../src/lookups/certificate/schema.ts';
import { summarize } from '../../../../src/lookups/certificate/summary.ts';
import type { DnsAnswer } from '../../../../src/lookups/dns/schema.ts';
import type { HeaderCheck } from '../../../../src/lookups/headers-check/schema.ts';
import type { IpLookup } from '../../../../src/lookups/ip/ip-lookup.ts';
import type { RdapResult } from '../../../../src/lookups/rdap/schema.ts';
import { certificateOf, handshakeOf, handshakesOf, nowMs, peerOf } from '../../../lookups/certificate/observed.ts';
import { seenAll } from '../../../observed.ts';

export const hostile = `"><img src=x onerror=alert(1)><script>alert(2)</script>\u202eevil\u0000`;
/** A visitor of whom nothing is known. */
export const stranger = { nowMs: 0, asn: null };
const script = 'javascript:alert(3)';

export function hostileCheck(): HeaderCheck {
  const check = { id: hostile, title: hostile, result: hostile, pass: false, applicable: true, scoreImpact: -5 };
  return {
    url: script,
    finalUrl: script,
    status: 200,
    method: 'GET',
    hops: [
      { url: 'https://a.example/', status: 302, location: script },
      { url: script, status: 200, location: null },
    ],
    headers: { [hostile]: hostile, long: 'v'.repeat(30_000) },
    setCookies: [hostile],
    grade: {
      score: 0,
      grade: 'F',
      checks: [{ ...check, value: hostile, description: hostile, recommendation: hostile, suggestion: hostile }],
      notes: [{ id: hostile, level: 'warning', message: hostile, link: script }],
    },
    elapsedMs: 1,
  };
}

export function hostileCertificates(): CertificateCheck {
  const texts = { subject: `CN=${hostile}`, issuer: `O=${hostile}`, serialNumber: hostile, issuerUrl: script };
  const certificate = certificateOf({ ...texts, names: Array(100).fill(hostile), signatureAlgorithm: hostile });
  const chain = [certificate, ...Array(9).fill(certificate)] as const;
  const peer = peerOf({ chain, path: [0], root: null, matchedName: null, verifyError: hostile });
  const handshake = handshakeOf({ peer, detail: hostile, outcome: 'failed', cipher: hostile, alpn: hostile });
  const found = handshakesOf({ handshakes: Array(8).fill(handshake), oldVersions: handshake });
  return summarize({ host: 'a.example', port: 443, found, caa: { unknown: hostile }, nowMs });
}

export function hostileDns(): DnsAnswer {
  const record = {
    name: hostile,
    type: 'TXT' as const,
    ttl: 1,
    mx: null,
    txt: { chunks: [hostile] },
    caa: null,
    soa: null,
  };
  return {
    name: hostile,
    type: 'TXT',
    status: hostile,
    exists: null,
    records: [
      { ...record, data: hostile },
      { ...record, data: 'v'.repeat(2000) },
      { ...record, data: hostile, error: `${hostile} ${'e'.repeat(60)}` },
    ],
    cnameChain: [hostile, script],
    ttl: 1,
    dnssec: false,
    note: hostile,
    resolver: hostile,
  };
}

export function hostileIp(): IpLookup {
  const { location, autonomousSystem } = seenAll;
  const names = { countryName: hostile, region: hostile, city: hostile, timezone: hostile };
  const network = { ...autonomousSystem, asOrganization: hostile, colo: null };
  return { ...location, isEU: false, ...names, ip: hostile, ...network, ipVersion: 4, hostname: hostile };
}

export function hostileRegistration(): RdapResult {
  const abuse = { name: hostile, email: hostile, phone: 'tel:1' };
  return {
    query: hostile,
    kind: 'domain',
    source: script,
    bootstrapUpdated: hostile,
    summary: {
      name: hostile,
      unicodeName: hostile,
      handle: hostile,
      status: [hostile, 'x'.repeat(2000)],
      registered: '0001-01-01T00:00:00Z',
      expires: '9999-12-31T00:00:00Z',
      updated: hostile,
      transferred: null,
      registrar: { name: hostile, ianaId: 1, url: script, email: script, phone: null },
      abuse,
      registrant: { name: hostile, organization: hostile, country: hostile, redacted: true },
      nameservers: [hostile],
      dnssec: { signed: true, ds: 1 },
      registrarRdap: 'data:text/html,<script>alert(4)</script>',
      registrantNote: hostile,
      whoisServer: hostile,
      redacted: [hostile],
      omitted: 0,
    },
    data: { [hostile]: hostile },
  };
}
