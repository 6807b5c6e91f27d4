/** Responses of a resolver, encoded by dns-packet or with compressed names, which dns-packet cannot write, and decoded by the service. */
import { type Answer, encode, RECURSION_DESIRED } from 'dns-packet';
import * as fc from 'fast-check';
import { formatRecord, printable } from '../../../src/lookups/dns/record.ts';
import { type RecordType, typeNumbers } from '../../../src/wire/dns/data/dns-parameters.ts';
import * as codec from '../../../src/wire/dns/message.ts';
import { drawBy, textOf } from '../../random.ts';

const rcodes = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 };

export interface ResponseInput {
  name: string;
  type: RecordType;
  status?: keyof typeof rcodes;
  dnssec?: boolean;
  answers?: Answer[];
  authorities?: Answer[];
  /** Codes and texts of RFC 8914. */
  extendedErrors?: [code: number, text: string][];
}

const flagsOf = ({ status = 'NOERROR', dnssec = false }: ResponseInput): number =>
  RECURSION_DESIRED | 0x80 | (dnssec ? 0x20 : 0) | rcodes[status];

const optOf = ({ extendedErrors = [] }: ResponseInput): Answer[] => {
  const options = extendedErrors.map(([code, text]) => ({
    code: 15,
    data: Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(text)]),
  }));
  return [{ type: 'OPT', name: '.', udpPayloadSize: 1232, flags: 0, options } as unknown as Answer];
};

/** Types that dns-packet does not know, as it names them. */
const unknownTypes: readonly string[] = ['HTTPS', 'SVCB'];

/** The name of a type in dns-packet. */
export const packetTypeOf = (type: string): string =>
  unknownTypes.includes(type) ? `UNKNOWN_${typeNumbers[type as RecordType]}` : type;

/** Encodes by dns-packet, without name compression. Data of types that it does not know is octets. */
export function encodeResponse(input: ResponseInput): Uint8Array {
  const { name, type, answers = [], authorities = [] } = input;
  const rename = (record: Answer): Answer => ({ ...record, type: packetTypeOf(record.type) }) as Answer;
  return encode({
    type: 'response',
    id: 0,
    flags: flagsOf(input),
    questions: [{ name, type: packetTypeOf(type) as 'A', class: 'IN' }],
    answers: answers.map(rename),
    authorities: authorities.map(rename),
    additionals: optOf(input),
  });
}

/** Encodes with the maximum name compression (RFC 1035 §4.1.4). */
export function encodeCompressedResponse(input: ResponseInput): Uint8Array {
  const { name, type, answers = [], authorities = [] } = input;
  const bytes: number[] = [];
  const places = new Map<string, number>();
  const word = (...numbers: number[]) => {
    for (const number of numbers) bytes.push((number >> 8) & 255, number & 255);
  };
  const long = (number: number) => word(Math.floor(number / 65_536), number & 65_535);
  const nameAt = (text: string): void => {
    const place = places.get(text);
    if (text === '.' || text === '') bytes.push(0);
    else if (place !== undefined) word(0xc000 | place);
    else {
      if (bytes.length < 0x4000) places.set(text, bytes.length);
      const [label = '', ...rest] = text.split('.');
      bytes.push(label.length, ...Buffer.from(label));
      nameAt(rest.join('.'));
    }
  };
  const record = (item: Answer): void => {
    const { ttl = 0, data } = item as { ttl?: number; data: unknown };
    nameAt(item.name);
    word(typeNumbers[item.type as RecordType], 1);
    long(ttl);
    const lengthAt = bytes.length;
    word(0);
    if (item.type === 'MX') {
      word(item.data.preference ?? 0);
      nameAt(item.data.exchange);
    } else if (item.type === 'SOA') {
      const { mname, rname, serial = 0, refresh = 0, retry = 0, expire = 0, minimum = 0 } = item.data;
      nameAt(mname);
      nameAt(rname);
      for (const number of [serial, refresh, retry, expire, minimum]) long(number);
    } else if (item.type === 'NS' || item.type === 'CNAME' || item.type === 'PTR') nameAt(String(data));
    else if (unknownTypes.includes(item.type)) bytes.push(...(data as Uint8Array));
    else {
      // The rest contains no names, so the octets are those of dns-packet.
      const alone = encode({ type: 'response', answers: [{ ...item, name: '.' } as Answer] });
      bytes.push(...alone.subarray(12 + 1 + 10));
    }
    const length = bytes.length - lengthAt - 2;
    bytes[lengthAt] = length >> 8;
    bytes[lengthAt + 1] = length & 255;
  };
  word(0, 0x8000 | flagsOf(input), 1, answers.length, authorities.length, 1);
  nameAt(name);
  word(typeNumbers[type], 1);
  for (const item of [...answers, ...authorities]) record(item);
  const opt = encode({ type: 'response', additionals: optOf(input) });
  return Uint8Array.from([...bytes, ...opt.subarray(12)]);
}

const labelText = (maxLength: number): fc.Arbitrary<string> => textOf([...'abcXYZ019-_'], maxLength, 1);

/** Random records of all types, with names that share suffixes. */
export function randomRecords(draw: fc.GeneratorValue) {
  const below = drawBy(draw);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const label = (): string => draw(labelText, below(4) === 0 ? 63 : 8);
  const known: string[] = ['example.com'];
  const name = (): string => {
    const made = below(20) === 0 ? '.' : `${label()}.${pick(known)}`;
    if (made.length <= 253 && made !== '.') known.push(made);
    return made.length > 253 ? pick(known) : made;
  };
  const octets = (limit: number): Buffer => Buffer.from(draw(fc.uint8Array, { maxLength: limit - 1 }));
  const number = (): number => below(2 ** 32);
  /** A record with parameters in ascending order, most of them without a known format. */
  const serviceData = (): Buffer => {
    const keys = [3, 7, ...Array.from({ length: below(3) }, () => 9 + below(65_000))];
    const params = [...new Set(keys)]
      .toSorted((a, b) => a - b)
      .map((key) => {
        const value = key === 3 ? Buffer.from([1, 187]) : octets(20);
        return Buffer.concat([Buffer.from([key >> 8, key & 255, 0, value.length]), value]);
      });
    return Buffer.concat([Buffer.from([0, below(256), 0]), ...params.filter(() => below(2) === 0)]);
  };
  const record = (): Answer => {
    const common = { name: name(), ttl: below(2 ** 31), class: 'IN' as const };
    switch (pick(Object.keys(typeNumbers) as RecordType[])) {
      case 'A':
        return { ...common, type: 'A', data: Array.from({ length: 4 }, () => below(256)).join('.') };
      case 'AAAA': {
        const groups = Array.from({ length: 8 }, () => pick([0, 0, below(65_536)]).toString(16));
        return { ...common, type: 'AAAA', data: groups.join(':') };
      }
      case 'MX':
        return { ...common, type: 'MX', data: { preference: below(65_536), exchange: name() } };
      case 'TXT':
        return { ...common, type: 'TXT', data: Array.from({ length: 1 + below(4) }, () => octets(256)) };
      case 'NS':
        return { ...common, type: 'NS', data: name() };
      case 'PTR':
        return { ...common, type: 'PTR', data: name() };
      case 'SRV': {
        const priority = below(65_536);
        const weight = below(65_536);
        const port = below(65_536);
        return { ...common, type: 'SRV', data: { priority, weight, port, target: name() } };
      }
      case 'HTTPS':
      case 'SVCB':
        return { ...common, type: pick(['HTTPS', 'SVCB']), data: serviceData() } as unknown as Answer;
      case 'DS': {
        const data = { keyTag: below(65_536), algorithm: below(256), digestType: below(256), digest: octets(65) };
        return { ...common, type: 'DS', data };
      }
      case 'DNSKEY': {
        const data = { flags: pick([256, 257]), algorithm: below(256), key: octets(65) };
        return { ...common, type: 'DNSKEY', data };
      }
      case 'TLSA': {
        const data = { usage: below(256), selector: below(256), matchingType: below(256), certificate: octets(65) };
        return { ...common, type: 'TLSA', data };
      }
      case 'SSHFP': {
        const data = { algorithm: pick([1, 2, 3, 4]), hash: pick([1, 2] as const) };
        const fingerprint = Buffer.alloc(data.hash === 1 ? 20 : 32, below(256)).toString('hex');
        return { ...common, type: 'SSHFP', data: { ...data, fingerprint } };
      }
      case 'NAPTR': {
        const texts = { flags: pick(['S', 'A', 'U', '']), services: label(), regexp: `!^.*$!sip:${label()}!` };
        return {
          ...common,
          type: 'NAPTR',
          data: { order: below(65_536), preference: below(65_536), ...texts, replacement: name() },
        } as Answer;
      }
      case 'CNAME':
        return { ...common, type: 'CNAME', data: name() };
      case 'CAA': {
        const tag = pick(['issue', 'issuewild', 'iodef'] as const);
        return { ...common, type: 'CAA', data: { flags: pick([0, 128]), tag, value: `${label()}; "${label()}\\` } };
      }
      case 'SOA': {
        const serial = number();
        const refresh = number();
        const retry = number();
        const expire = number();
        const minimum = number();
        return {
          ...common,
          type: 'SOA',
          data: { mname: name(), rname: name(), serial, refresh, retry, expire, minimum },
        };
      }
    }
  };
  return { below, pick, name, octets, record };
}

/** The response with its records as the service formats them. */
export function decodeResponse(bytes: Uint8Array, name: string, type: RecordType) {
  const message = codec.decodeResponse(bytes, name, type);
  if (message === null) return null;
  const { answers, authorities, extendedErrors } = message;
  return {
    ...message,
    answers: answers.map(formatRecord),
    authorities: authorities.map(formatRecord),
    extendedErrors: extendedErrors.map(({ code, text }) => ({ code, text: printable(text) })),
  };
}
