/** Layouts of a certificate lookup: for a terminal, and as a test suite for continuous integration. */
import { formatCount } from '../../core/text.ts';
import {
  describeCheck,
  describeKey,
  describeOutcome,
  describeScts,
  describeSubject,
  verdictsOf,
} from '../../lookups/certificate/findings.ts';
import type { AddressHandshake, Certificate, CertificateCheck, Verdict } from '../../lookups/certificate/schema.ts';
import type { CommandFlags } from '../commands.ts';
import type { JunitSuite } from './junit.ts';
import { columns, joinKnown, layOutRows, type Row, type Terminal, wrap } from './terminal.ts';

/** Verdicts, then each certificate, then a line for each address. */
export function layOut(check: CertificateCheck, terminal: Terminal): string {
  const { certificates, addresses, moreAddresses } = check;
  const heading = wrap(`${nameOf(check)}: ${describeCheck(check).join('; ')}`, terminal.width, '    ').join('\n');
  const notes = certificates.flatMap((each) => each.notes).map((note) => ['note', note]);
  const parts = [
    columns([...verdictsOf(check).map((each) => [wordOf(each), describeVerdict(each)]), ...notes], terminal),
    ...certificates.map((each) => layOutRows(rowsOf(each, certificates.length > 1), terminal)),
    columns(
      addresses.map((each) => [each.address, describeHandshake(each)]),
      terminal,
    ),
  ];
  const more = moreAddresses > 0 ? `Addresses not tested: ${moreAddresses}\n` : '';
  return `${heading}\n\n${parts.join('\n')}${more}`;
}

const nameOf = ({ host, port }: CertificateCheck): string =>
  port === 443 ? host : `${host.includes(':') ? `[${host}]` : host}:${port}`;

const wordOf = ({ value }: Verdict): string => (value === null ? '?' : value ? 'ok' : 'fail');

const describeVerdict = ({ title, reason }: Verdict): string => `${title}: ${reason}`;

/** Labels as in the output of `openssl x509`. */
function rowsOf(certificate: Certificate, isOneOfSeveral: boolean): readonly Row[] {
  const { addresses, names, moreNames, daysLeft, lifetimeDays, chain } = certificate;
  const [first, ...others] = chain;
  if (first === undefined) return [];
  return [
    ['Sent by', isOneOfSeveral ? addresses.join(', ') : null],
    ['Subject', describeSubject(first)],
    ['Names', [names.join(', '), moreNames > 0 ? `and ${moreNames} more` : null]],
    ['Issuer', first.issuer],
    ['Not before', first.notBefore],
    ['Not after', `${first.notAfter} (${daysLeft < 0 ? 'expired' : `${daysLeft} of ${lifetimeDays} days left`})`],
    ['Key', describeKey(first)],
    ['Signature', first.signatureAlgorithm],
    ['Serial', first.serialNumber],
    ['SHA-256', first.fingerprint],
    ['SCTs', describeScts(certificate)],
    ['Chain', others.map((each, at) => `${at + 1} ${each.subject}, until ${each.notAfter.slice(0, 10)}`)],
  ];
}

const describeHandshake = (handshake: AddressHandshake): string => {
  const { outcome, protocol, cipher, group, alpn, elapsedMs } = handshake;
  const problem = outcome === 'ok' ? null : describeOutcome(handshake);
  return joinKnown([problem, protocol, cipher, group, alpn, `${elapsedMs} ms`]);
};

export const shorten = (check: CertificateCheck): string => describeCheck(check).join('; ');

/** The first test case of a host, the only one that fails. */
export const junitCase = ({ 'expires-within': expiresWithin }: CommandFlags) => ({
  id: 'certificate',
  name:
    expiresWithin === undefined
      ? 'Certificate'
      : `Certificate, valid for ${formatCount(parseInt(expiresWithin, 10), 'day')} or more`,
});

/** A test suite with all of it, and with the verdicts as text. */
export function junitSuite(check: CertificateCheck, reason: string | null, flags: CommandFlags): JunitSuite {
  const total = { ...junitCase(flags), failure: reason, text: describeCheck(check).join('; ') };
  return {
    name: nameOf(check),
    elapsedMs: Math.max(0, ...check.addresses.map(({ elapsedMs }) => elapsedMs)),
    cases: [
      total,
      ...verdictsOf(check).map((each) => ({ id: each.id, name: each.title, text: `${wordOf(each)}: ${each.reason}` })),
    ],
  };
}
