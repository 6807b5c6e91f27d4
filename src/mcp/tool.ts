/** Schema of a row in the list of tools. */
import type * as z from 'zod';
import type { RateName } from '../core/limits.ts';
import type { RequestContext } from '../core/request-context.ts';

export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** Text for the model that chooses among tools. */
  readonly description: string;
  /** Every call counts against each of them and against `tools`, before its input is validated. */
  readonly rates: readonly RateName[];
  /** Whether it contacts servers other than this service. */
  readonly openWorld: boolean;
  readonly inputSchema: Input;
  readonly outputSchema: Output;
  run(input: z.infer<Input>, context: RequestContext): z.infer<Output> | Promise<z.infer<Output>>;
  /** The whole result as text, for people and for clients that read only text. */
  toText(result: z.infer<Output>): string;
}
