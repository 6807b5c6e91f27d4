/** The servers of the laboratory: what each has wrong, and what a certificate lookup says about it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificateAuthority, daysFromNow, keys, type Made, openAuthority } from './authority.ts';

/** How one address behaves: OpenSSL's server with a chain and options, or a server that is none. */
export type Behavior =
  | { readonly kind: 'openssl'; readonly chain: readonly Made[]; readonly options?: readonly string[] }
  | { readonly kind: 'dead' | 'http' | 'silent' | 'alert' | 'closes' };

export interface LaboratoryHost {
  readonly host: string;
  readonly addresses: Readonly<Record<string, Behavior>>;
  /** Verdicts that differ from those of a host without a fault; null: not known. */
  readonly verdicts?: Readonly<Record<string, boolean | null>>;
  /** CAA records by name; null: the DNS server refuses queries for the host. */
  readonly caa?: Readonly<Record<string, readonly string[]>> | null;
  /** Outcomes other than `ok`, by address. */
  readonly outcomes?: Readonly<Record<string, string>>;
}

/** An embedded timestamp (RFC 6962 §3.2): version, log, time, no extensions, ECDSA with SHA-256, signature. */
const sctOf = (log: string): string => `00${log}00000190000000000000040300083006020101020101`;
const lengthOf = (hex: string, bytes: number): string => (hex.length / 2).toString(16).padStart(2 * bytes, '0');
const sctVector = (() => {
  // An unknown log, and Argon2026h2 of Google.
  const list = ['11'.repeat(32), 'd76d7d10d1a7f577c2c7e95fd700bff982c9335a65e1d0b3017317c0c8c56977']
    .map(sctOf)
    .map((sct) => `${lengthOf(sct, 2)}${sct}`)
    .join('');
  return `${lengthOf(list, 2)}${list}`;
})();
const scts = `1.3.6.1.4.1.11129.2.4.2=DER:04${lengthOf(sctVector, 1)}${sctVector}`;

/** OpenSSL's server loads weak certificates only on this level, on which it would also accept TLS 1.0. */
const weak = ['-cipher', 'DEFAULT:@SECLEVEL=0', '-no_tls1', '-no_tls1_1'];

export const hostileSubject = `/O=<b onmouseover="a()">\u202Egnp.exe/CN=\u001b[31m<script>alert(1)<\\/script>`;

export function makeHosts(folder: string): {
  readonly roots: readonly Made[];
  readonly hosts: readonly LaboratoryHost[];
} {
  const make = openAuthority(folder);
  type Wish = Partial<Omit<Parameters<typeof make>[0], 'name'>>;
  const authority = (name: string, issuer: Made | null, more: readonly string[] = [], wish: Wish = {}): Made =>
    make({
      ...wish,
      name,
      subject: `/C=XX/O=Laboratory/CN=${name}`,
      extensions: [...certificateAuthority, ...more],
      issuer,
      notAfter: daysFromNow(900),
    });
  const root = authority('Laboratory Root', null);
  // By its organization, this one has a known name in CAA records.
  const known = make({
    name: 'known',
    subject: "/C=US/O=Let's Encrypt/CN=Laboratory Known",
    extensions: certificateAuthority,
    issuer: root,
    notAfter: daysFromNow(900),
  });
  const aia = (name: string) =>
    `authorityInfoAccess=caIssuers;URI:http://pki.lab/${name}.crt,OCSP;URI:http://ocsp.lab/`;
  const issuing = authority('Laboratory Issuing', root, [aia('root')]);
  const lower = authority('Laboratory Lower', issuing, [aia('issuing')]);
  const otherRoot = authority('Unknown Root', null);
  const otherIssuing = authority('Unknown Issuing', otherRoot);
  const unrelated = authority('Unrelated Issuing', otherRoot);

  type LeafWish = Wish & { readonly names?: string };
  const leaf = (host: string, { names = `DNS:${host}`, extensions = [], ...wish }: LeafWish = {}): Made =>
    make({
      name: host,
      issuer: issuing,
      ...wish,
      extensions: [...(names === '' ? [] : [`subjectAltName=${names}`]), aia('issuing'), ...extensions],
    });
  let last = 0;
  const nextAddress = (): string => {
    last += 1;
    return `10.99.0.${last}`;
  };
  const hosts: LaboratoryHost[] = [];
  const serve = (chain: readonly Made[], options: readonly string[] = []): Behavior => ({
    kind: 'openssl',
    chain,
    options,
  });
  const add = (
    host: string,
    behaviors: readonly Behavior[],
    more: Omit<LaboratoryHost, 'host' | 'addresses'> = {},
  ): void => {
    const addresses = Object.fromEntries(behaviors.map((behavior) => [nextAddress(), behavior]));
    hosts.push({ host, addresses, ...more });
  };
  const addLeaf = (
    host: string,
    wish: LeafWish,
    verdicts: LaboratoryHost['verdicts'] = {},
    options: readonly string[] = [],
  ): void => add(host, [serve([leaf(host, wish), issuing], options)], { verdicts });

  // CAA records are about names that match.
  const unmatched = { nameMatches: false, issuerPermitted: null };
  addLeaf('good.lab', { extensions: [scts] });
  addLeaf('rsa.lab', { key: keys.rsa });
  addLeaf(
    'expired.lab',
    { notBefore: daysFromNow(-90), notAfter: daysFromNow(-3) },
    { withinValidity: false, trusted: false },
  );
  addLeaf('early.lab', { notBefore: daysFromNow(3) }, { withinValidity: false, trusted: false });
  addLeaf('wrong-name.lab', { names: 'DNS:other.lab,DNS:www.other.lab' }, unmatched);
  addLeaf('a.wild.lab', { names: 'DNS:*.wild.lab' });
  addLeaf('b.a.wild.lab', { names: 'DNS:*.wild.lab' }, unmatched);
  addLeaf('common-name.lab', { names: '' }, unmatched);
  addLeaf('xn--mnchen-3ya.lab', {});
  const literal = nextAddress();
  hosts.push({
    host: literal,
    addresses: { [literal]: serve([leaf('address', { names: `IP:${literal},IP:fd99::a` }), issuing]) },
    verdicts: { issuerPermitted: null },
  });
  add('self-signed.lab', [serve([leaf('self-signed.lab', { issuer: null })])], { verdicts: { trusted: false } });
  add('unknown-root.lab', [serve([leaf('unknown-root.lab', { issuer: otherIssuing }), otherIssuing])], {
    verdicts: { trusted: false, chainComplete: null },
  });
  add(
    'unknown-root-sent.lab',
    [serve([leaf('unknown-root-sent.lab', { issuer: otherIssuing }), otherIssuing, otherRoot])],
    {
      verdicts: { trusted: false },
    },
  );
  add('missing.lab', [serve([leaf('missing.lab')])], { verdicts: { trusted: false, chainComplete: false } });
  add('wrong-order.lab', [serve([leaf('wrong-order.lab', { issuer: lower }), issuing, lower])]);
  add('superfluous.lab', [serve([leaf('superfluous.lab'), issuing, root, unrelated])]);
  addLeaf('sha1.lab', { digest: 'sha1', key: keys.rsa }, { strong: false }, weak);
  addLeaf('rsa1024.lab', { key: keys.rsa1024 }, { strong: false }, weak);
  addLeaf('ed25519.lab', { key: keys.ed25519 });
  addLeaf('p384.lab', { key: keys.p384 }, {}, ['-groups', 'P-384']);
  addLeaf('ed448.lab', { key: keys.ed448 });
  addLeaf('p521.lab', { key: keys.p521 });
  addLeaf('pss-key.lab', { key: keys.rsaPss });
  addLeaf('pss-key1024.lab', { key: keys.rsaPss1024 }, { strong: false }, weak);
  addLeaf('rsa1023.lab', { key: keys.rsa1023 }, { strong: false }, weak);
  const addIssued = (
    host: string,
    issuer: Made,
    verdicts: LaboratoryHost['verdicts'] = {},
    wish: LeafWish = {},
  ): void => add(host, [serve([leaf(host, { issuer, ...wish }), issuer])], { verdicts });
  const rsaIssuing = authority('RSA Issuing', root, [], { key: keys.rsa });
  // The hash is a parameter of the signature, which OpenSSL does not name.
  addIssued('pss-signed.lab', rsaIssuing, { strong: null }, { signature: ['-sigopt', 'rsa_padding_mode:pss'] });
  addIssued('odd-curve.lab', authority('Brainpool Issuing', root, [], { key: keys.brainpool }), { strong: null });
  addIssued(
    'constrained.lab',
    authority('Constrained Issuing', root, ['nameConstraints=critical,permitted;DNS:other.lab']),
    { trusted: false },
  );
  addIssued(
    'constrained-to.lab',
    authority('Permitted Issuing', root, ['nameConstraints=critical,permitted;DNS:constrained-to.lab']),
  );
  addLeaf('critical.lab', { extensions: ['1.2.3.4=critical,DER:0500'] }, { trusted: false });
  addLeaf('client-only.lab', { extensions: ['extendedKeyUsage=clientAuth'] }, { trusted: false });
  const shortPath = make({
    name: 'short-path',
    extensions: ['basicConstraints=critical,CA:true,pathlen:0', 'keyUsage=keyCertSign'],
    issuer: root,
  });
  const beyondPath = authority('Beyond Path', shortPath);
  add('path-length.lab', [serve([leaf('path-length.lab', { issuer: beyondPath }), beyondPath, shortPath])], {
    verdicts: { trusted: false },
  });
  addIssued('by-a-leaf.lab', leaf('no-authority.lab', { extensions: ['basicConstraints=CA:false'] }), {
    trusted: false,
    chainComplete: null,
  });
  // Its key may only sign certificates.
  addLeaf('authority.lab', { extensions: certificateAuthority }, { trusted: false });
  addLeaf('serial-negative.lab', { serial: '-5' });
  addLeaf('serial-long.lab', { serial: `0xff${'1'.repeat(40)}` });
  addLeaf('until-2049.lab', { notAfter: new Date('2049-12-31T23:59:59Z') });
  addLeaf('until-2050.lab', { notAfter: new Date('2050-01-01T00:00:00Z') });
  addLeaf('for-ever.lab', { notAfter: new Date('9999-12-31T23:59:59Z') });
  addLeaf('two-names.lab', { subject: '/CN=first.lab/CN=second.lab' });
  addLeaf('multi-valued.lab', { subject: '/C=XX/O=Laboratory+CN=multi-valued.lab' });
  addLeaf('no-subject.lab', { subject: '/' });
  addLeaf('email.lab', { names: 'email:a@email.lab' }, unmatched);
  addLeaf('long.lab', { notAfter: daysFromNow(397) });
  add('two-faces.lab', [serve([leaf('two-faces.lab'), issuing])], {
    verdicts: { sameOnAllAddresses: false, withinValidity: false, trusted: false },
  });
  Object.assign((hosts.at(-1) as LaboratoryHost).addresses, {
    'fd99::22': serve([
      leaf('two-faces-old', { names: 'DNS:two-faces.lab', notBefore: daysFromNow(-90), notAfter: daysFromNow(-3) }),
      issuing,
    ]),
  });
  const shared = leaf('one-dead.lab');
  add(
    'one-dead.lab',
    [serve([shared, issuing]), serve([shared, issuing]), { kind: 'dead' }, serve([shared, issuing])],
    {
      verdicts: { sameOnAllAddresses: null },
      outcomes: { 2: 'refused' },
    },
  );
  addLeaf('tls12.lab', {}, {}, ['-tls1_2']);
  addLeaf('tls13.lab', {}, {}, ['-tls1_3']);
  addLeaf('tls10.lab', { key: keys.rsa }, { oldProtocolsRejected: false }, ['-cipher', 'DEFAULT:@SECLEVEL=0']);
  addLeaf('client13.lab', {}, {}, ['-tls1_3', '-Verify', '2']);
  add('client12.lab', [serve([leaf('client12.lab'), issuing], ['-tls1_2', '-Verify', '2'])], {
    verdicts: { trusted: null, oldProtocolsRejected: null },
    outcomes: { 0: 'alert' },
  });
  addLeaf('alpn.lab', {}, {}, ['-alpn', 'http/1.1']);
  const addKnown = (
    host: string,
    caa: NonNullable<LaboratoryHost['caa']> | null,
    issuerPermitted: boolean | null,
    names?: string,
  ): void =>
    add(host, [serve([leaf(host, { issuer: known, ...(names && { names }) }), known])], {
      verdicts: { issuerPermitted },
      caa,
    });
  addKnown(
    'caa-permitted.lab',
    { 'caa-permitted.lab': ['0 issue "letsencrypt.org; a=b"', '0 issue "pki.goog"'] },
    true,
  );
  addKnown('caa-forbidden.lab', { 'caa-forbidden.lab': ['0 issue "pki.goog"'] }, false);
  addKnown('caa-nobody.lab', { 'caa-nobody.lab': ['0 issue ";"'] }, false);
  addKnown('www.caa-above.lab', { 'caa-above.lab': ['128 issue "pki.goog"'] }, false);
  addKnown(
    'a.caa-wild.lab',
    { 'caa-wild.lab': ['0 issue "pki.goog"', '0 issuewild "letsencrypt.org"'] },
    true,
    'DNS:*.caa-wild.lab',
  );
  addKnown('caa-mail.lab', { 'caa-mail.lab': ['0 iodef "mailto:a@caa-mail.lab"'] }, true);
  addKnown('caa-refused.lab', null, null);
  add('caa-unknown.lab', [serve([leaf('caa-unknown.lab'), issuing])], {
    verdicts: { issuerPermitted: null },
    caa: { 'caa-unknown.lab': ['0 issue "ca.lab"'] },
  });
  const none = { sameOnAllAddresses: null, oldProtocolsRejected: null };
  add('http.lab', [{ kind: 'http' }], { verdicts: none, outcomes: { 0: 'no_tls' } });
  add('silent.lab', [{ kind: 'silent' }], { verdicts: none, outcomes: { 0: 'timeout' } });
  add('alert.lab', [{ kind: 'alert' }], { verdicts: none, outcomes: { 0: 'alert' } });
  add('closes.lab', [{ kind: 'closes' }], { verdicts: none, outcomes: { 0: 'closed' } });
  const megabyte = Array<Made>(1_500).fill(unrelated);
  add('megabyte.lab', [serve([leaf('megabyte.lab'), issuing, ...megabyte])], {
    verdicts: none,
    outcomes: { 0: 'failed' },
  });
  addLeaf('hostile.lab', {
    subject: hostileSubject,
    names: '@names',
    extensions: [
      '[names]',
      'DNS.1=hostile.lab',
      'DNS.2=a, DNS:evil.lab',
      'DNS.3=<img src=x>',
      'email.1=a@b.lab',
      'URI.1=http://u.lab/,DNS:uri.lab',
      'IP.1=192.0.2.1',
      'IP.2=2001:db8::1',
    ],
  });
  const namesOf = (count: number) =>
    `DNS:many.lab,DNS:too-many.lab,${Array.from({ length: count - 1 }, (_, at) => `DNS:n${at}.many.lab`).join(',')}`;
  const many = (count: number): readonly Behavior[] => [
    serve([leaf(`many-${count}`, { names: namesOf(count) }), issuing]),
  ];
  add('many.lab', many(3_000));
  add('too-many.lab', many(10_000), { verdicts: none, outcomes: { 0: 'failed' } });
  writeFileSync(join(folder, 'roots.pem'), root.pem);
  return { roots: [root], hosts };
}
