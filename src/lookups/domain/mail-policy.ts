/** Sentences of a report: what a receiver will do with a message that forges the visible From of a domain. Pure. */

import { clip } from '../../core/text.ts';
import { contradictoryNullMx, nullMxOf } from '../dns/note.ts';
import type { Dmarc, DmarcPolicy } from './dmarc.ts';
import { doubtOf, type Finding, recordsOf } from './finding.ts';
import type { Spf } from './spf.ts';

export interface MailPolicy {
  /** `none`: the name does not exist. */
  readonly look: 'good' | 'warn' | 'bad' | 'unknown' | 'none';
  /** For one line about the whole domain. */
  readonly brief: string;
  readonly sentences: readonly string[];
}

interface MailFindings {
  readonly name: string;
  readonly exists: boolean;
  readonly dmarc: Dmarc;
  readonly spf: Spf;
  readonly mx: Finding;
  /** A and AAAA. */
  readonly addresses: readonly Finding[];
}

/** Ends the description of every name that exists. */
function describeLimits(spf: Spf): string {
  const dependsOnSender = 'dependsOnSender' in spf && spf.dependsOnSender;
  return `DKIM keys${dependsOnSender ? ', and terms of SPF that depend on the sender,' : ''} are not evaluated.`;
}

export function mailPolicy(findings: MailFindings): MailPolicy {
  const { name, exists, dmarc, spf } = findings;
  if (!exists && dmarc.kind === 'none')
    return {
      look: 'none',
      brief: '',
      sentences: [`${name} does not exist (NXDOMAIN), so it states no policy for mail.`],
    };
  const isProtected = dmarc.kind === 'policy' && dmarc.policy !== 'none';
  const sentences = [...describeSender(dmarc, spf), ...describeReception(findings), describeLimits(spf)];
  if (spf.kind === 'open') return { look: 'bad', brief: 'SPF passes anyone', sentences };
  const ofDmarc =
    dmarc.kind === 'policy' ? `DMARC ${dmarc.policy}` : dmarc.kind === 'none' ? 'no DMARC' : 'DMARC not known';
  const brief = permanentErrors.includes(spf.kind) ? `${ofDmarc}, SPF error` : ofDmarc;
  if (dmarc.kind === 'unknown' || (spf.kind === 'unknown' && isProtected)) return { look: 'unknown', brief, sentences };
  if (isProtected) return { look: dmarc.isTesting || dmarc.pct !== null ? 'warn' : 'good', brief, sentences };
  return { look: open.includes(spf.kind) ? 'bad' : 'warn', brief, sentences };
}

/** RFC 7208 §2.6.7. */
const permanentErrors: readonly Spf['kind'][] = ['several', 'invalid', 'permerror'];
/** Without a policy of DMARC, nothing speaks against forged mail. */
const open: readonly Spf['kind'][] = ['none', 'neutral', ...permanentErrors];

function describeSender(dmarc: Dmarc, spf: Spf): readonly string[] {
  if (spf.kind === 'open')
    return [
      'Anyone passes SPF for this name (+all, blocks that contain every address, or another term that everyone matches), so DMARC does not stop forged mail, whatever its policy is.',
      ...describeDmarc(dmarc),
    ];
  if (dmarc.kind === 'none' && spf.kind === 'none')
    return [...describeDmarc(dmarc), 'No SPF and no DMARC: anyone can send mail in this name.'];
  return [...describeDmarc(dmarc), ...describeSpf(dmarc, spf), ...describeUnread(spf)];
}

const requests: Readonly<Record<DmarcPolicy, string>> = {
  reject: 'Receivers are requested to reject mail with a forged From address',
  quarantine: 'Receivers are requested to treat mail with a forged From address as suspicious, usually as spam',
  none: 'Receivers are requested to do nothing about mail with a forged From address',
};

/** Ends the sentence about a policy of `none`. */
const describeReports = (isReported: boolean): string =>
  isReported ? ': the owner only gets reports' : ', and the record names no address for reports';

function describeDmarc(dmarc: Dmarc): readonly string[] {
  if (dmarc.kind === 'unknown')
    return [
      `What receivers do is not known: the DMARC record of ${dmarc.finding.name} could not be read. ${doubtOf(dmarc.finding)}`,
    ];
  const sentences = describeIgnored(dmarc);
  if (dmarc.kind === 'none') return sentences;
  const { name, tag, policy, stated, isTesting, isInherited, isReported, pct } = dmarc;
  const request = `${requests[policy]}${policy === 'none' ? describeReports(isReported) : ''}`;
  const origin = isInherited ? `inherited from ${name}` : `at ${name}`;
  if (tag === null)
    sentences.push(`${request} (the policy ${origin} is missing or not valid, so it counts as p=none).`);
  else sentences.push(`${request} (DMARC, ${tag}=${stated}${isTesting ? ', t=y' : ''}, ${origin}).`);
  if (isTesting && stated !== 'none') sentences.push(`The owner is testing (t=y): ${stated} counts as ${policy}.`);
  if (pct !== null)
    sentences.push(
      `pct=${pct} was removed from DMARC, but older receivers apply the policy to only ${pct} % of the mail.`,
    );
  return sentences;
}

function describeIgnored({ ignored }: Exclude<Dmarc, { kind: 'unknown' }>): string[] {
  if (ignored === null) return [];
  const { name, problem } = ignored;
  const sentences: Readonly<Record<typeof problem, string>> = {
    several: `Several DMARC records at ${name}: receivers ignore them all.`,
    policy: `The DMARC record at ${name} has no valid policy and no valid address for reports, so it does not count.`,
    version: `A TXT record at ${name} does not begin with "v=DMARC1;", so receivers do not take it for a DMARC record.`,
  };
  return [sentences[problem]];
}

/** A name that SPF refers to, and that may decide otherwise. */
function describeUnread(spf: Spf): readonly string[] {
  if (!('unread' in spf) || spf.unread === null) return [];
  const { type, name } = spf.unread;
  return [
    `This leaves out the ${type} records of ${name}, to which SPF refers: ${doubtOf(spf.unread) ?? 'they are too long.'}`,
  ];
}

/** For names that not everyone passes; `none` only with a DMARC record. */
function describeSpf(dmarc: Dmarc, spf: Spf): readonly string[] {
  const isAlone = dmarc.kind === 'none';
  switch (spf.kind) {
    case 'unknown':
      // The reason is usually the same for every record of a domain: it is stated once.
      if (dmarc.kind === 'unknown') return ['SPF could not be read either.'];
      return [
        `SPF could not be read. ${doubtOf(spf.finding)}`,
        ...(isAlone ? [unprotected] : ['If it lets anyone pass, DMARC stops nothing.']),
      ];
    case 'none':
      if (dmarc.kind === 'policy' && dmarc.policy !== 'none')
        return ["There is no SPF; the From address is protected all the same, and the owner's mail passes by DKIM."];
      return ['There is no SPF.'];
    case 'several':
      return ['Several SPF records are an error for receivers: SPF never passes.', ...(isAlone ? [unprotected] : [])];
    case 'invalid':
      return [
        `The SPF record has a syntax error (${spf.problem}), which is an error for receivers: SPF never passes.`,
        ...(isAlone ? [unprotected] : []),
      ];
    case 'permerror':
      return [
        `SPF ends in an error for receivers (permerror): ${spf.reason}. Only senders that it lists before that can pass; for all others, SPF neither passes nor rejects.`,
        ...(isAlone ? [unprotected] : []),
      ];
    case 'redirect':
      return [
        `The SPF record of ${clip(spf.name)} decides about other senders (redirect), which is not known.`,
        ...(isAlone ? [unprotected] : []),
      ];
    case 'neutral':
      return ['SPF states nothing about senders that it does not list.', ...(isAlone ? [unprotected] : [])];
    case 'softfail':
      return isAlone
        ? [
            'No DMARC: SPF (~all) marks mail with a forged envelope sender, which is accepted all the same; the visible From address is not protected.',
          ]
        : ['SPF marks other senders (~all).'];
    case 'fail':
      return isAlone
        ? ['No DMARC: SPF (-all) protects only the envelope sender; the visible From address is not protected.']
        : ['SPF rejects other senders (-all).'];
    case 'open':
      return [];
  }
}

const unprotected = 'There is no DMARC: the visible From address is not protected.';

/** Describes whether and where the domain receives mail. */
function describeReception({ name, exists, dmarc, spf, mx, addresses }: MailFindings): readonly string[] {
  const isStated = dmarc.kind === 'unknown' || spf.kind === 'unknown';
  const servers = recordsOf(mx);
  const doubt = servers.length === 0 ? doubtOf(mx) : mx.failure;
  if (doubt !== null) return [`Whether it receives mail is not known.${isStated ? '' : ` ${doubt}`}`];
  const nullMx = nullMxOf(servers);
  if (nullMx === 'contradictory') return [contradictoryNullMx];
  const isNull = nullMx === 'alone';
  if (isNull && spf.kind === 'fail' && !spf.listsSenders)
    return ['The null MX and SPF -all state that this domain neither receives nor sends mail.'];
  if (isNull) return ['The null MX states that this domain accepts no mail (RFC 7505).'];
  if (servers.length > 0 || !exists) return [];
  if (addresses.some((finding) => recordsOf(finding).length > 0))
    return [`There is no MX record: mail to ${name} goes to its IP address (RFC 5321 §5.1).`];
  const unread = addresses.map(doubtOf).find((each) => each !== null);
  if (unread !== undefined)
    return [`There is no MX record; whether mail goes to an IP address is not known. ${unread}`];
  return ['There is no MX record and no IP address: it receives no mail.'];
}
