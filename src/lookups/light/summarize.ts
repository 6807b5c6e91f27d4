/** The most requested fields of an RDAP object. */
import { objectKinds } from '../rdap/schema.ts';
import { summarize as summarizeObject } from '../rdap/summary.ts';
import { choiceArgument, objectArgument, textArgument } from './arguments.ts';

/** The summary of an object (RFC 9083) of this kind; `source` is its URL. Throws a TypeError for other arguments. */
export const summarize: typeof summarizeObject = (kind, data, source) =>
  summarizeObject(
    choiceArgument(kind, 'summarize: the kind', objectKinds),
    objectArgument(data, 'summarize: the RDAP object'),
    textArgument(source, 'summarize: the source'),
  );
