/** The grade of a site's response headers, as it is answered. */
import * as z from 'zod';

export const Check = z
  .object({
    id: z.string().describe('What was judged, as the HTTP Observatory names it'),
    title: z.string(),
    result: z.string().describe('The outcome, as the HTTP Observatory names it'),
    pass: z.boolean(),
    applicable: z.boolean().describe('Whether there was anything to judge'),
    scoreImpact: z.int().describe('Points given or taken; see the note bonus-withheld'),
    value: z.string().nullable().describe('The header that was judged, long ones cut; of cookies the attributes alone'),
    description: z.string(),
    recommendation: z.string().nullable().describe('What to send instead; null where nothing needs to change'),
  })
  .meta({ id: 'HeaderGradeCheck', description: 'One judged header' });
export type Check = z.infer<typeof Check>;

export const Note = z
  .object({
    id: z.string(),
    level: z.enum(['info', 'warning']),
    message: z.string(),
  })
  .meta({ id: 'HeaderGradeNote', description: 'Worth knowing, without points' });
export type Note = z.infer<typeof Note>;

export const Grade = z
  .object({
    score: z.int().min(0).max(100),
    grade: z.enum(['A+', 'A', 'A-', 'B+', 'B', 'B-', 'C+', 'C', 'C-', 'D+', 'D', 'D-', 'F']),
    checks: z.array(Check),
    notes: z.array(Note),
  })
  .meta({ id: 'HeaderGrade', description: 'By the rules of the HTTP Observatory, as far as headers alone show' });
export type Grade = z.infer<typeof Grade>;
