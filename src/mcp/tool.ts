/** What a row of the list of tools says. */
import type * as z from 'zod';
import type { RateName } from '../core/limits.ts';
import type { ObservedRequest } from '../core/observed.ts';
import type { Platform } from '../core/platform.ts';

/** What a tool answers from. */
export interface ToolCall {
  readonly observed: ObservedRequest;
  readonly platform: Platform;
  /** The service's own address without a final slash. */
  readonly base: string;
}

export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** For the model that chooses among tools. */
  readonly description: string;
  /** Every call spends from each of them, before its input is looked at. */
  readonly rates: readonly RateName[];
  /** Whether it asks anyone but this service. */
  readonly openWorld: boolean;
  readonly inputSchema: Input;
  readonly outputSchema: Output;
  answer(input: z.infer<Input>, call: ToolCall): z.infer<Output> | Promise<z.infer<Output>>;
  /** All that the answer says, for people and for clients that read nothing but text. */
  text(answer: z.infer<Output>, call: ToolCall): string;
}
