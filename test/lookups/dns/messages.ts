/** Answers of a resolver: as dns-packet writes them, and with compressed names, which it only reads. */
import { type Answer, encode, RECURSION_DESIRED } from 'dns-packet';
import { type DnsType, typeNumbers } from '../../../src/lookups/dns/record.ts';
import type { mulberry32 } from '../../random.ts';

const rcodes = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 };

export interface Said {
  name: string;
  type: DnsType;
  status?: keyof typeof rcodes;
  dnssec?: boolean;
  answers?: Answer[];
  authorities?: Answer[];
  /** Codes and texts of RFC 8914. */
  extendedErrors?: [code: number, text: string][];
}

const flagsOf = ({ status = 'NOERROR', dnssec = false }: Said): number =>
  RECURSION_DESIRED | 0x80 | (dnssec ? 0x20 : 0) | rcodes[status];

const optOf = ({ extendedErrors = [] }: Said): Answer[] => {
  const options = extendedErrors.map(([code, text]) => ({
    code: 15,
    data: Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(text)]),
  }));
  return [{ type: 'OPT', name: '.', udpPayloadSize: 1232, flags: 0, options } as unknown as Answer];
};

/** As dns-packet writes it: no name is compressed. */
export function answer(said: Said): Uint8Array {
  const { name, type, answers = [], authorities = [] } = said;
  return encode({
    type: 'response',
    id: 0,
    flags: flagsOf(said),
    questions: [{ name, type, class: 'IN' }],
    answers,
    authorities,
    additionals: optOf(said),
  });
}

/** The same with every name compressed that can be (RFC 1035 §4.1.4). */
export function compressedAnswer(said: Said): Uint8Array {
  const { name, type, answers = [], authorities = [] } = said;
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
  const record = (answered: Answer): void => {
    const { ttl = 0, data } = answered as { ttl?: number; data: unknown };
    nameAt(answered.name);
    word(typeNumbers[answered.type as DnsType], 1);
    long(ttl);
    const lengthAt = bytes.length;
    word(0);
    if (answered.type === 'MX') {
      word(answered.data.preference ?? 0);
      nameAt(answered.data.exchange);
    } else if (answered.type === 'SOA') {
      const { mname, rname, serial = 0, refresh = 0, retry = 0, expire = 0, minimum = 0 } = answered.data;
      nameAt(mname);
      nameAt(rname);
      for (const number of [serial, refresh, retry, expire, minimum]) long(number);
    } else if (answered.type === 'NS' || answered.type === 'CNAME') nameAt(String(data));
    else {
      // The rest has no names in it: the octets are those that dns-packet writes.
      const alone = encode({ type: 'response', answers: [{ ...answered, name: '.' } as Answer] });
      bytes.push(...alone.subarray(12 + 1 + 10));
    }
    const length = bytes.length - lengthAt - 2;
    bytes[lengthAt] = length >> 8;
    bytes[lengthAt + 1] = length & 255;
  };
  word(0, 0x8000 | flagsOf(said), 1, answers.length, authorities.length, 1);
  nameAt(name);
  word(typeNumbers[type], 1);
  for (const answered of [...answers, ...authorities]) record(answered);
  const opt = encode({ type: 'response', additionals: optOf(said) });
  return Uint8Array.from([...bytes, ...opt.subarray(12)]);
}

/** Draws records of all types, of names that share endings. */
export function randomRecords(random: ReturnType<typeof mulberry32>) {
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const label = (): string =>
    Array.from({ length: 1 + below(below(4) === 0 ? 63 : 8) }, () => pick([...'abcXYZ019-_'])).join('');
  const known: string[] = ['example.com'];
  const name = (): string => {
    const made = below(20) === 0 ? '.' : `${label()}.${pick(known)}`;
    if (made.length <= 253 && made !== '.') known.push(made);
    return made.length > 253 ? pick(known) : made;
  };
  const octets = (limit: number): Buffer => Buffer.from(Array.from({ length: below(limit) }, () => below(256)));
  const number = (): number => below(2 ** 32);
  const record = (): Answer => {
    const common = { name: name(), ttl: below(2 ** 31), class: 'IN' as const };
    switch (pick(Object.keys(typeNumbers) as DnsType[])) {
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
      case 'CNAME':
        return { ...common, type: 'CNAME', data: name() };
      case 'CAA': {
        const tag = pick(['issue', 'issuewild', 'iodef'] as const);
        return { ...common, type: 'CAA', data: { flags: pick([0, 128]), tag, value: `${label()}; "${label()}\\` } };
      }
      case 'SOA': {
        const [serial, refresh, retry, expire, minimum] = [number(), number(), number(), number(), number()];
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
