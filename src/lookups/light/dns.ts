/** DNS messages for programs that send the query themselves: the codec of /api/dns, with all its types. */
import { type RecordType, typeNumbers } from '../../wire/dns/data/dns-parameters.ts';
import { decodeResponse, encodeQuery } from '../../wire/dns/message.ts';
import { formatRecord } from '../dns/record.ts';
import type { DnsRecord } from '../dns/schema.ts';
import { bytesArgument, choiceArgument, textArgument } from './arguments.ts';

/** RFC 1035 §2.3.4, as text. */
const maxNameLength = 253;
/** Visible ASCII: of any other character, a query would contain only the low byte. */
const label = /^[!-~]{1,63}$/;
const types = Object.keys(typeNumbers) as RecordType[];

/**
 * A query for DNS over HTTPS (RFC 8484). `name`: ASCII, without a trailing dot. Throws a RangeError for a name that no message can contain,
 * and a TypeError for anything but a string and one of the types.
 */
export function encodeDnsQuery(name: string, type: RecordType): Uint8Array {
  const labels = textArgument(name, 'encodeDnsQuery: the name').split('.');
  if (name.length > maxNameLength || !labels.every((each) => label.test(each)))
    throw new RangeError('encodeDnsQuery: the name, or one of its labels, is empty, too long, or not ASCII (xn--)');
  return encodeQuery(name, choiceArgument(type, 'encodeDnsQuery: the type', types), 'checked');
}

/** Response code, whether the resolver validated it (AD), and the records of the answer. */
export interface DnsResponse {
  readonly rcode: number;
  readonly authentic: boolean;
  readonly records: readonly DnsRecord[];
}

/**
 * A response to the query that `encodeDnsQuery` makes of this name and type, with its records as in /api/dns; null if it is malformed, or no
 * response to that query. A malformed record has `error`.
 */
export function parseDnsResponse(bytes: Uint8Array, name: string, type: RecordType): DnsResponse | null {
  const asked = textArgument(name, 'parseDnsResponse: the name').toLowerCase();
  const askedType = choiceArgument(type, 'parseDnsResponse: the type', types);
  const message = decodeResponse(bytesArgument(bytes, 'parseDnsResponse: the bytes'), asked, askedType);
  if (message === null) return null;
  return { rcode: message.rcode, authentic: message.authentic, records: message.answers.map(formatRecord) };
}
