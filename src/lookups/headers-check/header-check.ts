/** The shape of a header check. */
import * as z from 'zod';
import { Grade } from './grade-schema.ts';

export const Hop = z.object({
  url: z.string(),
  status: z.int(),
  location: z.string().nullable().describe('Where it redirects to, as sent; null for the last'),
});
export type Hop = z.infer<typeof Hop>;

export const HeaderCheck = z
  .object({
    url: z.string().describe('The URL asked for, normalized'),
    finalUrl: z.string().describe('The URL that answered after all redirects'),
    status: z.int(),
    method: z.string(),
    hops: z.array(Hop).describe('Every response in order, the last included'),
    headers: z
      .record(z.string(), z.string())
      .describe('Of the last response; repeated fields joined by a comma, Set-Cookie apart'),
    setCookies: z.array(z.string()),
    grade: Grade,
    elapsedMs: z.int().describe('Milliseconds for all hops together'),
  })
  .meta({ id: 'HeaderCheck', description: 'Response headers of a public site, and the grade of their security' });
export type HeaderCheck = z.infer<typeof HeaderCheck>;

/** What is graded: the last response, and how it was reached. */
export interface GradedResponse extends Readonly<Pick<HeaderCheck, 'url' | 'finalUrl' | 'status'>> {
  readonly hops: readonly Readonly<Hop>[];
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookies: readonly string[];
}
