/** Sentences for what a schema finds wrong with input: the problem, then what to change. */
import type * as z from 'zod';
import { clip, editDistance } from '../core/text.ts';

type Issue = z.core.$ZodIssue;

/** Describes why the arguments of a tool do not fit its schema. */
export function describeInput(issues: readonly Issue[], schema: z.ZodObject): string {
  return issues.map((issue) => describeArgument(issue, schema)).join(' ');
}

function describeArgument(issue: Issue, { shape }: z.ZodObject): string {
  const names = Object.keys(shape);
  const [name] = issue.path;
  if (issue.code === 'unrecognized_keys') {
    const [unknown = ''] = issue.keys;
    return `Unknown argument ${JSON.stringify(clip(unknown))}; ${suggestName(unknown, names)}.`;
  }
  if (typeof name !== 'string') return `The arguments must be an object that may have ${names.join(', ')}.`;
  const expected = shape[name]?.meta()?.description ?? '';
  if (issue.code === 'invalid_type')
    return issue.input === undefined
      ? `${name} is required: ${expected}.`
      : `${name} must be ${nouns.get(issue.expected) ?? issue.expected}: ${expected}.`;
  if (issue.code === 'too_big') return `${name} has more than ${issue.maximum} characters; shorten it.`;
  return `${name}: ${issue.message}.`;
}

/** `user_agent` for `userAgent`, `ua` and the like; all names if none is close. */
function suggestName(unknown: string, names: readonly string[]): string {
  const normalize = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '');
  const wanted = normalize(clip(unknown));
  const [closest] = names
    .map((name) => ({ name, distance: editDistance(wanted, normalize(name)) }))
    .toSorted((one, other) => one.distance - other.distance);
  if (closest !== undefined && closest.distance <= Math.max(2, wanted.length / 3)) return `use ${closest.name}`;
  return `use ${names.join(' or ')}`;
}

const nouns: ReadonlyMap<unknown, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['array', 'an array'],
  ['object', 'an object'],
  ['record', 'an object'],
]);
