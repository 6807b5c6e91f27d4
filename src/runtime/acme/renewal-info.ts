/** When a CA suggests that its certificate be renewed (ACME Renewal Information, RFC 9773). */
import { X509Certificate } from 'node:crypto';
import { isObject } from '../../core/json.ts';
import { readIssuance } from '../../wire/certificate.ts';
import { readClocks } from '../clocks.ts';
import { AcmeFailure, cleanDetail } from './failures.ts';
import type { CertificateInUse } from './in-use.ts';
import type { Suggestion } from './renewal.ts';
import { readDirectory, readObject, type SendRequest } from './requests.ts';

/** Pauses between two queries: without Retry-After that of §4.3.2, and the bounds of what the CA demands. */
const pauses = { usualMs: 21_600_000, minMs: 60_000, maxMs: 86_400_000 };

/** RFC 3339 §5.6, in which Date.parse reads more than that. */
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

/** Bytes of a part of an identifier; serial numbers have at most 20 (RFC 5280 §4.1.2.2). */
const maxPartBytes = 64;

/** The identifier of a certificate, PEM, at its CA (§4.1); null if it does not name the key of its issuer, or is far too long. */
export function certificateIdOf(cert: string): string | null {
  const issuance = readIssuance(new X509Certificate(cert).raw);
  if (issuance === null) return null;
  const parts = [issuance.authorityKey, issuance.serialNumber];
  if (parts.some(({ length }) => length > maxPartBytes)) return null;
  return parts.map((bytes) => Buffer.from(bytes).toString('base64url')).join('.');
}

/**
 * Returns a function that queries the CA about the certificate in use when a query is due; it never rejects. It also queries once about a
 * certificate that is already due: after a restart, it is unknown whether the CA suggests a later renewal. After a failure, the latest
 * suggestion stays; without one, the rule of two thirds applies.
 */
export function createSuggestions(send: SendRequest, directoryUrl: string, inUse: CertificateInUse) {
  let asked: string | null = null;
  let nextMs = 0;
  return async (): Promise<void> => {
    const cert = inUse.certificate()?.cert ?? null;
    if (cert === null) return;
    const isQueried = cert === asked;
    if (inUse.isDue() && (isQueried || !inUse.isPostponable())) return;
    if (isQueried && readClocks().monotonicMs < nextMs) return;
    asked = cert;
    const demandedMs = await readSuggestion(send, directoryUrl, cert).then(
      ({ suggestion, explanation, retryAfterMs }) => {
        inUse.suggest(cert, suggestion, explanation);
        return retryAfterMs;
      },
      (error: unknown) => (error instanceof AcmeFailure ? error.retryAfterMs : 0),
    );
    const pauseMs = Math.max(pauses.minMs, Math.min(demandedMs || pauses.usualMs, pauses.maxMs));
    nextMs = readClocks().monotonicMs + pauseMs;
  };
}

/** Rejects if the CA suggests nothing. */
async function readSuggestion(send: SendRequest, directoryUrl: string, cert: string) {
  const id = certificateIdOf(cert);
  const { renewalInfo } = await readDirectory(send, directoryUrl);
  if (id === null || renewalInfo === null) throw new Error('no renewal information');
  const { value, retryAfterMs } = await readObject(send, `${renewalInfo.replace(/\/$/, '')}/${id}`);
  const { start, end } = isObject(value.suggestedWindow) ? value.suggestedWindow : {};
  const suggestion: Suggestion = { fromMs: readTime(start), toMs: readTime(end) };
  // Also if one of them is not a number.
  if (!(suggestion.fromMs < suggestion.toMs)) throw new AcmeFailure('no window', { retryAfterMs });
  return { suggestion, explanation: readExplanation(value.explanationURL), retryAfterMs };
}

/** URL of a page that explains the suggestion (§4.2), for a log line; null if it is not an https URL. */
function readExplanation(value: unknown): string | null {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url?.protocol === 'https:' ? cleanDetail(url.href) : null;
}

/** Milliseconds since the Unix epoch; NaN if it is not a time. */
const readTime = (value: unknown): number =>
  typeof value === 'string' && timePattern.test(value) ? Date.parse(value) : Number.NaN;
