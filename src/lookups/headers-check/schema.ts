/** The result of a header check: final response, redirect chain and grade. */
import * as z from 'zod';
import type { MalformedLine } from '../../core/platform.ts';

export const Hop = z.object({
  url: z.string().describe('Requested URL'),
  status: z.int().describe('Status code of the response'),
  location: z.string().nullable().describe('Redirect target as sent; null for the final response'),
});
export type Hop = z.infer<typeof Hop>;

export const Check = z
  .object({
    id: z.string().describe('Name of the check in the HTTP Observatory'),
    title: z.string().describe('Name of the check for people'),
    result: z.string().describe('Name of the outcome in the HTTP Observatory'),
    pass: z.boolean().describe('Whether nothing needs to change'),
    applicable: z.boolean().describe('False if there was nothing to grade'),
    scoreImpact: z.int().describe('Bonus or penalty points; see the note bonus-withheld'),
    value: z.string().nullable().describe('Graded header value, truncated if long; cookies: only their attributes'),
    description: z.string().describe('What the outcome means'),
    recommendation: z.string().nullable().describe('What to send instead; null if nothing needs to change'),
    suggestion: z
      .string()
      .nullable()
      .describe('Exact response header to send, one line per cookie, cookie values elided; null if there is none'),
  })
  .meta({ id: 'HeaderGradeCheck', description: 'One graded header' });
export type Check = z.infer<typeof Check>;

export const Note = z
  .object({
    id: z.string().describe('Stable name of the note'),
    level: z.enum(['info', 'warning']).describe('warning: a risk; info: worth knowing'),
    message: z.string().describe('The observation in one or two sentences'),
    link: z.url().describe('Documentation of the subject: MDN or an RFC'),
  })
  .meta({ id: 'HeaderGradeNote', description: 'An observation without effect on the score' });
export type Note = z.infer<typeof Note>;

export const Grade = z
  .object({
    score: z.int().min(0).max(100).describe('100 plus bonuses minus penalties, from 0 to 100'),
    grade: z
      .enum(['A+', 'A', 'A-', 'B+', 'B', 'B-', 'C+', 'C', 'C-', 'D+', 'D', 'D-', 'F'])
      .describe('Letter of the score; A+ is the best'),
    checks: z.array(Check).describe('Every check with its outcome'),
    notes: z.array(Note).describe('Observations without effect on the score'),
  })
  .meta({ id: 'HeaderGrade', description: 'Security grade by the rules of the HTTP Observatory, from headers only' });
export type Grade = z.infer<typeof Grade>;

export const HeaderCheck = z
  .object({
    url: z.string().describe('Requested URL, normalized'),
    finalUrl: z.string().describe('URL of the final response, after all redirects'),
    status: z.int().describe('Status code of the final response'),
    method: z.string().describe('Request method that was used'),
    hops: z.array(Hop).describe('Every response in order, including the final one'),
    headers: z
      .record(z.string(), z.string())
      .describe('Final response headers; repeats comma-joined, Set-Cookie excluded'),
    setCookies: z.array(z.string()).describe('Set-Cookie headers of the final response, one per cookie'),
    grade: Grade,
    elapsedMs: z.int().describe('Milliseconds for all hops together'),
  })
  .meta({ id: 'HeaderCheck', description: "A public site's response headers and their security grade" });
export type HeaderCheck = z.infer<typeof HeaderCheck>;

/** Input of the grading: the final response and its redirect chain. */
export interface GradedResponse extends Readonly<Pick<HeaderCheck, 'url' | 'finalUrl' | 'status'>> {
  readonly hops: readonly Readonly<Hop>[];
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookies: readonly string[];
  /** Lines that break the rules of HTTP/1.1. */
  readonly malformed?: readonly MalformedLine[];
  /** Milliseconds since the Unix epoch, for cookies of a response without Date; if absent, the time of the clock. */
  readonly nowMs?: number;
}
