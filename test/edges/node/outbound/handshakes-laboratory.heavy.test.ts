/** Certificate lookups of 72 servers with every fault, beside what `openssl s_client` and `openssl x509` print about each address. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { maxCertificateNames, maxChainLength } from '../../../../src/core/tls/handshakes.ts';
import { ctLogs } from '../../../../src/lookups/certificate/data/ct-logs.ts';
import { CertificateCheck, type SentCertificate } from '../../../../src/lookups/certificate/schema.ts';
import { runInNamespace, skipWithoutNamespaces } from '../../../network-namespace.ts';
import type { OpensslCertificate, OpensslView } from './laboratory/openssl-view.ts';
import type { LaboratoryHost } from './laboratory/servers.ts';

interface Results {
  readonly hosts: readonly Required<Pick<LaboratoryHost, 'host' | 'verdicts' | 'outcomes'>>[];
  readonly checks: readonly CertificateCheck[];
  readonly views: Readonly<Record<string, OpensslView>>;
}

const setUp = `
  ip link set lo up
  ip route add local 10.99.0.0/16 dev lo
  ip addr add fd99::22/128 dev lo nodad
  exec "$@"
`;

/** Verdicts of a host without a fault. */
const good = {
  trusted: true,
  nameMatches: true,
  chainComplete: true,
  withinValidity: true,
  strong: true,
  issuerPermitted: true,
  sameOnAllAddresses: true,
  oldProtocolsRejected: true,
};

suite('the laboratory', { skip: skipWithoutNamespaces('openssl', 'unbound') }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-certificates-'));
  let results: Results = { hosts: [], checks: [], views: {} };
  const checkOf = (host: string): CertificateCheck =>
    results.checks.find((check) => check.host === host) ?? assert.fail(`no check of ${host}`);
  before(async () => {
    const scenario = join(import.meta.dirname, 'laboratory/scenario.ts');
    results = (await runInNamespace(setUp, scenario, [folder])) as Results;
  });
  after(() => rmSync(folder, { recursive: true }));

  test('reports the verdicts of each fault, and no others', () => {
    assert.ok(results.hosts.length >= 68);
    for (const { host, verdicts } of results.hosts) {
      const { certificates, verdicts: common } = checkOf(host);
      const all = [...certificates.flatMap((each) => each.verdicts), ...common];
      // The worst of several certificates.
      const worst = (name: string): boolean | null => {
        const values = all.filter(({ id }) => id === name).map(({ value }) => value);
        return values.includes(false) ? false : values.includes(null) ? null : true;
      };
      const found = Object.fromEntries(Object.keys(good).map((name) => [name, worst(name)]));
      assert.deepEqual(found, { ...good, ...verdicts }, host);
    }
  });

  test('reports how each handshake ended', () => {
    for (const { host, outcomes } of results.hosts) {
      const found = checkOf(host).addresses.map(({ outcome }) => outcome);
      assert.deepEqual(
        found,
        found.map((_, at) => outcomes[at] ?? 'ok'),
        host,
      );
    }
    assert.equal(checkOf('alert.lab').addresses[0]?.detail, 'unrecognized_name');
    assert.equal(checkOf('megabyte.lab').addresses[0]?.detail, 'excessive message size');
  });

  test('has the form of its schema', () => {
    for (const check of results.checks) assert.deepEqual(CertificateCheck.parse(check), check);
  });

  test('agrees with s_client about each handshake', () => {
    let compared = 0;
    for (const { host, addresses, certificates, verdicts: common } of results.checks)
      for (const { address, outcome, protocol, cipher, group, alpn } of addresses) {
        const view = results.views[address];
        if (view === undefined || outcome !== 'ok') continue;
        const { verifyCode, nameMatches, acceptsOld, chain: _, ...handshake } = view;
        assert.deepEqual({ protocol, cipher, group, alpn }, handshake, host);
        const { verdicts } = certificates.find((each) => each.addresses.includes(address)) ?? assert.fail(host);
        const verdictOf = (name: string) => verdicts.find(({ id }) => id === name)?.value;
        assert.equal(verdictOf('trusted'), verifyCode === 0, host);
        // OpenSSL still compares the common name, which browsers do not.
        if (!['common-name.lab', 'email.lab'].includes(host)) assert.equal(verdictOf('nameMatches'), nameMatches, host);
        const old = common.find(({ id, reason }) => id === 'oldProtocolsRejected' && reason.startsWith(`${address} `));
        if (old !== undefined) assert.equal(old.value, !acceptsOld, host);
        compared += 1;
      }
    assert.ok(compared >= 57, `${compared}`);
  });

  test('agrees with x509 about each field of each certificate, in the order of the server', () => {
    let compared = 0;
    for (const { host, certificates } of results.checks)
      for (const certificate of certificates) {
        const { chain } = results.views[certificate.addresses[0] ?? ''] ?? assert.fail(host);
        const sent = certificate.chain;
        assert.equal(sent.length, Math.min(chain.length, maxChainLength), host);
        for (const [at, each] of sent.entries()) compareFields(each, chain[at] ?? assert.fail(host), host);
        const [first] = chain;
        assert.equal(certificate.scts, first?.sctLogs.length, host);
        const logs = first?.sctLogs.map((id) => Buffer.from(id, 'hex').toString('base64'));
        assert.deepEqual(
          certificate.sctLogs,
          logs?.map((id) => ctLogs.get(id) ?? id),
          host,
        );
        // One of its names looks like two in OpenSSL's line.
        if (host !== 'hostile.lab')
          assert.equal(certificate.names.length + certificate.moreNames, countNames(first?.names ?? null), host);
        compared += sent.length;
      }
    assert.ok(compared >= 115, `${compared}`);
  });

  test('names the logs of embedded timestamps that it knows', () => {
    const [good] = checkOf('good.lab').certificates;
    assert.deepEqual(good?.sctLogs, [Buffer.alloc(32, 0x11).toString('base64'), 'Google Argon2026h2']);
  });

  test('cuts the list of names, and keeps a hostile one whole', () => {
    const [many] = checkOf('many.lab').certificates;
    assert.equal(many?.names.length, maxCertificateNames);
    assert.equal(many?.moreNames, 3_001 - maxCertificateNames);
    const [hostile] = checkOf('hostile.lab').certificates;
    assert.deepEqual(hostile?.names, ['hostile.lab', 'a, DNS:evil.lab', '<img src=x>', '192.0.2.1', '2001:db8::1']);
    assert.match(hostile?.chain[0]?.subject ?? '', /^O=.*gnp\.exe, CN=/);
  });
});

/** OpenSSL prints names beside those of hosts and addresses, such as e-mail addresses. */
const countNames = (line: string | null): number => line?.match(/(?:^|, )(?:DNS|IP Address):/g)?.length ?? 0;

const keyTypes: Readonly<Record<string, string>> = {
  rsaEncryption: 'rsa',
  'id-ecPublicKey': 'ec',
  rsassaPss: 'rsa-pss',
  ED25519: 'ed25519',
  ED448: 'ed448',
};

function compareFields(found: SentCertificate, printed: OpensslCertificate, host: string): void {
  const { subject, issuer, serialNumber, fingerprint, signatureAlgorithm, notBefore, notAfter, key } = found;
  assert.equal(subject, printed.subject, host);
  assert.equal(issuer, printed.issuer, host);
  assert.equal(serialNumber, printed.serialNumber, host);
  assert.equal(fingerprint, printed.fingerprint, host);
  assert.equal(signatureAlgorithm, printed.signatureAlgorithm, host);
  assert.equal(Date.parse(notBefore), printed.notBefore, host);
  assert.equal(Date.parse(notAfter), printed.notAfter, host);
  const { algorithm, bits, curve } = printed.key;
  assert.deepEqual(key, { type: keyTypes[algorithm], bits: /^rsa/.test(algorithm) ? bits : null, curve }, host);
}
