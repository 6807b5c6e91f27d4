/** The shape of an error's answer. */
import * as z from 'zod';
import { type ErrorCode, errors } from '../core/errors.ts';

export const ErrorBody = z
  .object({
    error: z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]),
    message: z.string().describe('What is wrong, and what to change'),
    docs: z.url().describe('Where the errors are documented'),
  })
  .meta({ id: 'Error', description: 'Why a call was not answered as it asked' });
export type ErrorBody = z.infer<typeof ErrorBody>;
