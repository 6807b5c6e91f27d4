/** What a certificate lookup found, in words: the problems, a phrase about all of it, outcomes and keys. */
import { clip } from '../../core/text.ts';
import type { AddressHandshake, Certificate, CertificateCheck, Condition, SentCertificate, Verdict } from './schema.ts';
import { ofOtherConditions } from './verdicts.ts';

/** Conditions without which the site fails for its visitors, or for some of them; and what the site then is. */
const essential: Partial<Readonly<Record<Condition, string>>> = {
  trusted: 'not trusted',
  nameMatches: 'for another name',
  chainComplete: 'chain incomplete',
  withinValidity: 'not valid now',
  sameOnAllAddresses: 'not the same on all addresses',
};

/** All verdicts, first the ones that are not met; with several certificates, each reason begins with the addresses of its own. */
export const verdictsOf = ({ certificates, verdicts }: CertificateCheck): readonly Verdict[] =>
  [
    ...certificates.flatMap(({ addresses, verdicts: own }) =>
      certificates.length === 1
        ? own
        : own.map((each) => ({ ...each, reason: `${addresses.join(', ')}: ${each.reason}` })),
    ),
    ...verdicts,
  ].toSorted((one, other) => Number(other.value === false) - Number(one.value === false));

/** The essential conditions that are not met. Trust is left out if the reason is another of them. */
const failedOf = (check: CertificateCheck): readonly Verdict[] =>
  verdictsOf(check).filter(
    ({ id, value, reason }) =>
      value === false && essential[id] !== undefined && !ofOtherConditions.some((each) => reason.endsWith(each)),
  );

/** What is wrong, in sentences without their final dot; empty if nothing is. */
export function problemsOf(check: CertificateCheck): readonly string[] {
  if (check.certificates.length === 0) return [describeAbsence(check)];
  return failedOf(check).map(({ reason }) => reason.replace(/\.$/, ''));
}

/** Its most important facts, as phrases: when the first certificate ends, who issued it, whether all addresses sent it, and what is wrong. */
export function describeCheck(check: CertificateCheck): readonly string[] {
  const [first] = check.certificates.toSorted((one, other) => one.daysLeft - other.daysLeft);
  if (first === undefined) return [describeAbsence(check)];
  const { chain, daysLeft, issuedBy } = first;
  const day = formatDay(chain[0]?.notAfter ?? '');
  const validity = `${daysLeft < 0 ? 'expired on' : 'valid until'} ${day}, by ${clip(issuedBy)}`;
  const others = failedOf(check).filter(({ id }) => id !== 'withinValidity' || daysLeft >= 0);
  return [validity + describeSameness(check), ...new Set(others.map(({ id }) => essential[id] ?? id))];
}

/** How many addresses sent the same; empty if that is not known, or there are several certificates. */
function describeSameness({ addresses, moreAddresses, certificates, verdicts }: CertificateCheck): string {
  const count = addresses.length + moreAddresses;
  if (count === 1 || certificates.length > 1) return '';
  if (verdicts.some(({ id, value }) => id === 'sameOnAllAddresses' && value))
    return `, the same on all ${count} addresses`;
  return `, the same on ${certificates[0]?.addresses.length} of ${count} addresses`;
}

const formatDay = (time: string): string =>
  new Date(time).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

function describeAbsence({ addresses }: CertificateCheck): string {
  const outcomes = new Set(addresses.map(({ outcome, detail }) => describeOutcome({ outcome, detail })));
  return `no certificate: ${[...outcomes].join('; ') || 'no address'}`;
}

const outcomeTexts = {
  ok: 'ok',
  alert: 'alert',
  no_tls: 'the server does not speak TLS on this port',
  refused: 'connection refused',
  closed: 'connection closed during the handshake',
  timeout: 'no response in time',
  unreachable: 'unreachable',
  no_route: 'no route from here',
  failed: 'handshake failed',
  overloaded: 'not tested: too many connections in progress',
} as const satisfies Record<AddressHandshake['outcome'], string>;

export const describeOutcome = ({ outcome, detail }: Pick<AddressHandshake, 'outcome' | 'detail'>) =>
  outcomeTexts[outcome] + (detail === null ? '' : outcome === 'alert' ? ` ${clip(detail)}` : ` (${clip(detail)})`);

/** The number of embedded timestamps, and their logs. */
export const describeScts = ({ scts, sctLogs }: Pick<Certificate, 'scts' | 'sctLogs'>): string | null =>
  scts ? `${scts}: ${sctLogs.join(', ')}${scts > sctLogs.length ? ', …' : ''}` : (scts?.toString() ?? null);

/** Some certificates have names of hosts only. */
export const describeSubject = ({ subject }: Pick<SentCertificate, 'subject'>): string => subject || 'no subject';

export const describeKey = ({ key }: Pick<SentCertificate, 'key'>): string | null =>
  key &&
  [key.type.toUpperCase(), key.curve, key.bits === null ? null : `${key.bits} bits`]
    .filter((part) => part !== null)
    .join(' ');
