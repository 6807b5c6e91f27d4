/** The readable form of a tool's answer. */
import { flatten } from '../core/text.ts';

/** One `key: value` line for each value there is: a model gains nothing from reading what is null. */
export function lines(answer: object): string {
  return flatten(answer).replace(/^\S+:\n/gm, '');
}
