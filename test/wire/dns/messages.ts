/** Queries as bytes, well-formed or not, and what a server makes of them. */
import { ByteWriter } from '../../../src/wire/byte-writer.ts';
import { typeNumbers } from '../../../src/wire/dns/data/dns-parameters.ts';
import { writeName } from '../../../src/wire/dns/name.ts';

export interface QueryInput {
  readonly id?: number;
  readonly bits?: number;
  readonly name?: string;
  readonly type?: number;
  readonly class?: number;
  readonly questions?: number;
  /** Null: no OPT record. */
  readonly edns?: {
    readonly version?: number;
    readonly bufferBytes?: number;
    readonly dnssecOk?: boolean;
    readonly name?: string;
    /** Code and value of each option. */
    readonly options?: readonly (readonly [code: number, value: readonly number[]])[];
  } | null;
  /** Records of EDNS; 1 unless something is wrong. */
  readonly opts?: number;
  /** Records of another type in each section; the additional ones precede those of EDNS. */
  readonly others?: readonly [answers: number, authorities: number, additionals: number];
}

export const recursionDesired = 0x0100;

/** Encodes a query; by default for the address of www.example.com. */
export function queryOf(input: QueryInput = {}): Uint8Array {
  const { id = 0x1234, bits = recursionDesired, name = 'www.example.com', questions = 1, edns = null } = input;
  const opts = edns === null ? 0 : (input.opts ?? 1);
  const [answers, authorities, additionals] = input.others ?? [0, 0, 0];
  const writer = new ByteWriter();
  for (const word of [id, bits, questions, answers, authorities, additionals + opts]) writer.number(word, 2);
  for (let at = 0; at < questions; at += 1) {
    writeName(writer, name);
    writer.number(input.type ?? typeNumbers.A, 2);
    writer.number(input.class ?? 1, 2);
  }
  for (let at = 0; at < answers + authorities + additionals; at += 1) {
    writeName(writer, name);
    writer.number(typeNumbers.TXT, 2);
    writer.number(1, 2);
    writer.number(0, 4);
    writer.vector(2, () => writer.octets(Uint8Array.of(1, 97)));
  }
  for (let at = 0; at < opts; at += 1) {
    writeName(writer, edns?.name ?? '.');
    writer.number(41, 2);
    writer.number(edns?.bufferBytes ?? 1232, 2);
    writer.number(0, 1);
    writer.number(edns?.version ?? 0, 1);
    writer.number(edns?.dnssecOk === true ? 0x8000 : 0, 2);
    writer.vector(2, () => {
      for (const [code, value] of edns?.options ?? []) {
        writer.number(code, 2);
        writer.vector(2, () => writer.octets(Uint8Array.from(value)));
      }
    });
  }
  return writer.written;
}

/** Options of EDNS: Client Subnet 203.0.113.0/24, and a cookie. */
export const subnetOption = [8, [0, 1, 24, 0, 203, 0, 113]] as const;
export const cookieOption = [10, [1, 2, 3, 4, 5, 6, 7, 8]] as const;
