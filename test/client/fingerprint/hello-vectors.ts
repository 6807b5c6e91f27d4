/** ClientHello bodies with the fingerprints published for them, or computed by other programs. */

export interface HelloVector {
  readonly source: string;
  readonly body: Uint8Array;
  readonly ja3Text?: string;
  readonly ja3?: string;
  readonly ja3n?: string;
  readonly ja4: string;
  readonly ja4_r?: string;
  readonly ja4_o?: string;
}

interface Lists {
  readonly version?: number;
  readonly ciphers: readonly number[];
  readonly extensions: readonly number[];
  readonly groups?: readonly number[];
  readonly pointFormats?: readonly number[];
  readonly algorithms?: readonly number[];
  readonly versions?: readonly number[];
  /** Hex. */
  readonly alpn?: string;
  /** Hex of the contents of other extensions, by id. */
  readonly others?: Readonly<Record<number, string>>;
}

const hex = (value: number, bytes: number): string => value.toString(16).padStart(bytes * 2, '0');

/** Prefixes hex digits with their length in bytes. */
const vector = (content: string, lengthBytes: number): string => hex(content.length / 2, lengthBytes) + content;

const list = (values: readonly number[], bytes: number): string => values.map((value) => hex(value, bytes)).join('');

/** Builds the body of a ClientHello that has these lists; extensions without one are empty. */
export function helloOf({ version = 0x0303, ciphers, extensions, ...lists }: Lists): Uint8Array {
  const { groups = [], pointFormats = [], algorithms = [], versions = [], alpn = '6832', others = {} } = lists;
  const contents: Readonly<Record<number, string>> = {
    10: vector(list(groups, 2), 2),
    11: vector(list(pointFormats, 1), 1),
    13: vector(list(algorithms, 2), 2),
    16: vector(vector(alpn, 1), 2),
    43: vector(list(versions, 2), 1),
    ...others,
  };
  const block = extensions.map((id) => hex(id, 2) + vector(contents[id] ?? '', 2)).join('');
  const head = hex(version, 2) + '00'.repeat(33) + vector(list(ciphers, 2), 2);
  return Buffer.from(`${head}0100${vector(block, 2)}`, 'hex');
}

/** `Z` stands for the 32 bytes of the random. */
const body = (text: string): Uint8Array =>
  Buffer.from(text.replace('Z', '00'.repeat(32)).replaceAll(/\s+/g, ''), 'hex');

const decimal = (text: string): number[] => text.split('-').map(Number);
const hexadecimal = (text: string): number[] => text.split(',').map((id) => Number.parseInt(id, 16));

const firefox110 = {
  ciphers: decimal('4865-4867-4866-49195-49199-52393-52392-49196-49200-49162-49161-49171-49172-156-157-47-53'),
  extensions: decimal('0-23-65281-10-11-35-16-5-34-51-43-13-45-28-21'),
  groups: decimal('29-23-24-25-256-257'),
  pointFormats: [0],
  algorithms: decimal('1027-1283-1539-2052-2053-2054-1025-1281-1537-515-513'),
  versions: [0x0304, 0x0303],
};

const libressl = {
  ciphers: decimal(
    '49200-49196-49192-49188-49172-49162-159-107-57-52393-52392-52394-65413-196-136-129-157-61-53-192-132-49199-49195-49191-49187-49171-49161-158-103-51-190-69-156-60-47-186-65-49169-49159-5-4-49170-49160-22-10-255',
  ),
  extensions: decimal('0-11-10-13-16'),
  groups: decimal('29-23-24'),
  pointFormats: [0],
  algorithms: decimal('1537-1539-61423-1281-1283-1025-1027-61166-60909-769-771-513-515'),
};

const chrome = {
  ciphers: hexadecimal('aaaa,1301,1302,1303,c02b,c02f,c02c,c030,cca9,cca8,c013,c014,009c,009d,002f,0035'),
  groups: decimal('29-23-24'),
  pointFormats: [0],
  algorithms: decimal('1027-2052-1025-1283-2053-1281-2054-1537'),
  versions: [0x1a1a, 0x0304, 0x0303],
};

export const helloVectors: readonly HelloVector[] = [
  {
    source: 'the first example of the JA3 README',
    body: body('0301 Z 00 0016 00040005000a00090064006200030006001300120063 0100'),
    ja3Text: '769,4-5-10-9-100-98-3-6-19-18-99,,,',
    ja3: 'de350869b8c85de67a350c8d186f11e6',
    ja4: 't10i110000_3609b414f052_000000000000',
  },
  {
    source: 'the second example of the JA3 README',
    body: body(
      '0301 Z 00 0018 002f00350005000ac009c00ac013c01400320038001300040100 0026 00000010000e00000b6578616d706c652e636f6d 000a00080006001700180019 000b00020100',
    ),
    ja3: 'ada70206e40642a3e4461f35503241d5',
    ja4: 't10d120300_d94e65cdb899_33a13ba74d1c',
  },
  {
    source: 'GREASE in every list',
    body: body(
      '0303 Z 00 0008 4a4a1302130100ff 0100 003a 1a1a0000 002b0007062a2a03040303 0010000400020161 000d000800063a3a08040403 000a000800065a5a11ec001d dada000100 003300020000',
    ),
    ja3Text: '771,4866-4865-255,43-16-13-10-51,4588-29,',
    ja3: '10db3c5e991a973ca488f9e55a0c545a',
    ja3n: 'f92691809c3986e414d75eb887df1197',
    ja4: 't13i0305aa_8c8c9365eb52_3cd5d6589845',
    ja4_r: 't13i0305aa_00ff,1301,1302_000a,000d,002b,0033_0804,0403',
  },
  {
    source: 'no signature algorithms, ALPN of other bytes',
    body: body('0303 Z 00 0002 c02f 0100 001d 00000010000e00000b6578616d706c652e636f6d 00100005000302abcd'),
    ja3: 'c0d5fef2fe90cff012acce3a48f7eb6e',
    ja4: 't12d0102ad_f06271c2b022_000000000000',
    ja4_o: 't12d0102ad_f06271c2b022_a2cf1a00988d',
  },
  {
    source: 'GREASE as the only cipher suite',
    body: body('0303 Z 00 0002 0a0a 0100 0008 000d000400020403'),
    ja3: 'b430610c9e4b511f4aef50c1aba54305',
    ja4: 't12i000100_000000000000_79c50902419d',
    ja4_r: 't12i000100__000d_0403',
  },
  {
    source: 'an empty extension block',
    body: body('0303 Z 00 0002 002f 0100 0000'),
    ja3: 'fde4273625b2ac63bd01d9c500dac91b',
    ja4: 't12i010000_ba72b8082249_000000000000',
  },
  {
    source: '120 cipher suites and an unknown version',
    body: helloOf({
      ciphers: Array.from({ length: 120 }, (_, n) => 0xc000 + n),
      extensions: [43],
      versions: [0x0305],
    }),
    ja3: '833f2f06bf0ffc2e0282032d55ee070b',
    ja4: 't00i990100_b53fbdfabeae_b9a491fefe05',
  },
  {
    source: 'socks-https-example.pcap of FoxIO',
    body: body(
      '0301529cbff829e8f23edf4bb09e1feaadd0131b7bc56eab3d7567b17e0374bd6b7500002e00390038003500160013000a00330032002f009a00990096000500040015001200090014001100080006000300ff0100001800000014001200000f7777772e6578616d706c652e636f6d',
    ),
    ja3: '06a92bf69b367389d2feb0d70501ddfe',
    ja4: 't10d230100_6a57a6f57151_000000000000',
  },
  {
    source: 'the lists of tls12.pcap of FoxIO (Firefox)',
    body: helloOf(firefox110),
    ja3: '579ccef312d18482fc42e2b822ca2430',
    ja4: 't13d1715h2_5b57614c22b0_3d5424432f57',
  },
  {
    source: 'the lists of tls-alpn-h2.pcap of FoxIO (LibreSSL)',
    body: helloOf(libressl),
    ja3: '3faa4ad39f690c4ef1c3160caa375465',
    ja4: 't12d4605h2_85626a9a5f7f_aaf95bb78ec9',
  },
  {
    source: 'the lists of tls-non-ascii-alpn.pcapng of FoxIO, ALPN by the corrected rule',
    body: helloOf({
      ...chrome,
      extensions: hexadecimal('ff01,0033,002d,0005,4469,000d,0010,0023,001b,002b,0000,0012,000a,0017,000b,0015'),
      alpn: 'baad',
    }),
    ja4: 't13d1516bd_8daaf6152771_e5627efa2ab1',
  },
  {
    source: 'the raw output in JA4.md (Chrome)',
    body: helloOf({
      ...chrome,
      extensions: hexadecimal('001b,0000,0033,0010,4469,0017,002d,000d,0005,0023,0012,002b,ff01,000b,000a,0015'),
    }),
    ja4: 't13d1516h2_8daaf6152771_e5627efa2ab1',
    ja4_r:
      't13d1516h2_002f,0035,009c,009d,1301,1302,1303,c013,c014,c02b,c02c,c02f,c030,cca8,cca9_0005,000a,000b,000d,0012,0015,0017,001b,0023,002b,002d,0033,4469,ff01_0403,0804,0401,0503,0805,0501,0806,0601',
    ja4_o: 't13d1516h2_acb858a92679_18f69afefd3d',
  },
];
