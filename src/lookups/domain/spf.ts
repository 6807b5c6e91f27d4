/** What an SPF record means for senders that it does not list (RFC 7208). Pure. */
import type { Finding } from './finding.ts';
import { Evaluation, recordIn, type SpfQuery } from './spf-evaluation.ts';

/** What is not known about the terms. */
interface Reservations {
  /** A finding that the evaluation needs, and that is not known; null if all are. Its term is taken not to match. */
  readonly unread: Finding | null;
  /** Whether a term depends on the sender by a macro or by reverse DNS. It is taken not to match. */
  readonly dependsOnSender: boolean;
}

export type Spf =
  | { readonly kind: 'unknown'; readonly finding: Finding }
  | { readonly kind: 'none' }
  /** Several records: an error for receivers. */
  | { readonly kind: 'several' }
  /** A syntax error anywhere in the record: an error for receivers (RFC 7208 §4.6). */
  | { readonly kind: 'invalid'; readonly problem: string }
  /** An error that the evaluation meets, for all senders that it has not listed before. `reason`: the end of a sentence. */
  | ({ readonly kind: 'permerror'; readonly reason: string } & Reservations)
  /** The result for other senders: `open` if every address passes. */
  | ({
      readonly kind: 'open' | 'fail' | 'softfail' | 'neutral';
      /** False if the record has only `all`. */
      readonly listsSenders: boolean;
    } & Reservations)
  /** The record of another name decides, which is not known. */
  | { readonly kind: 'redirect'; readonly name: string };

const kinds = { pass: 'open', fail: 'fail', softfail: 'softfail', neutral: 'neutral' } as const;

/** `finding`: the TXT records of the name. `followed`: the findings for `missingQueries`. */
export function spfOf(finding: Finding, followed: readonly Finding[] = []): Spf {
  const record = recordIn(finding);
  if (!('mechanisms' in record)) return record;
  const { outcome, unread, dependsOnSender } = new Evaluation(followed).run(finding.name, record);
  if ('redirect' in outcome) return { kind: 'redirect', name: outcome.redirect };
  if ('reason' in outcome) return { kind: 'permerror', reason: outcome.reason, unread, dependsOnSender };
  const listsSenders = record.redirect !== null || record.mechanisms.some(({ name }) => name !== 'all');
  return { kind: kinds[outcome.result], listsSenders, unread, dependsOnSender };
}

/** The queries whose findings the evaluation still needs; empty if it needs none. */
export function missingQueries(finding: Finding, followed: readonly Finding[]): readonly SpfQuery[] {
  const record = recordIn(finding);
  return 'mechanisms' in record ? new Evaluation(followed).run(finding.name, record).missing : [];
}
