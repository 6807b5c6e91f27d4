/** The wire format, compared with dns-packet and tested with malformed messages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, decode, encode } from 'dns-packet';
import { formatAddress, parseAddress } from '../../../src/core/address.ts';
import { DnsRecord, dnsTypes } from '../../../src/lookups/dns/schema.ts';
import { threadMs } from '../../../src/native/thread-clock.ts';
import { type RecordType, typeNumbers } from '../../../src/wire/dns/data/dns-parameters.ts';
import * as codec from '../../../src/wire/dns/message.ts';
import {
  decodeResponse,
  encodeCompressedResponse,
  encodeResponse,
  packetTypeOf,
  randomRecords,
} from '../../lookups/dns/messages.ts';
import { checkDrawn } from '../../random.ts';

const { encodeQuery } = codec;

const rdataOf = (record: DnsRecord | undefined) => {
  assert.ok(record !== undefined);
  const { data, mx, txt, caa, soa } = record;
  return { data, mx, txt, caa, soa };
};
const none = { mx: null, txt: null, caa: null, soa: null };

/** Octets of an escaped text. */
function octetsOf(text: string): Buffer {
  const parts = text.match(/\\\d{3}|\\.|[^\\]/gsu) ?? [];
  return Buffer.concat(
    parts.map((part) =>
      /^\\\d/.test(part) ? Buffer.from([Number(part.slice(1))]) : Buffer.from(part.replace('\\', '')),
    ),
  );
}

const Strict = DnsRecord.strict();

/** Asserts that our record equals what dns-packet read from the same octets. */
function assertSame(ours: DnsRecord, theirs: Answer): void {
  assert.deepEqual(Strict.parse(ours), ours);
  assert.equal(ours.error, undefined);
  assert.deepEqual([ours.name, packetTypeOf(ours.type)], [theirs.name, theirs.type]);
  assert.equal(ours.ttl, (theirs as { ttl: number }).ttl);
  switch (theirs.type) {
    case 'AAAA': {
      const address = parseAddress(theirs.data);
      assert.equal(ours.data, address && formatAddress(address));
      break;
    }
    case 'MX':
      assert.deepEqual(ours.mx, theirs.data);
      assert.equal(ours.data, `${theirs.data.preference} ${theirs.data.exchange}`);
      break;
    case 'TXT': {
      const chunks = theirs.data as Buffer[];
      assert.deepEqual(ours.txt?.chunks.map(octetsOf), chunks);
      assert.deepEqual(octetsOf(ours.data), Buffer.concat(chunks));
      break;
    }
    case 'CAA': {
      const { flags, tag, value } = theirs.data;
      assert.deepEqual({ ...ours.caa, value: octetsOf(ours.caa?.value ?? '').toString() }, { flags, tag, value });
      assert.ok(ours.data.startsWith(`${flags} ${tag} "`));
      break;
    }
    case 'SOA': {
      const { mname, rname, serial, refresh, retry, expire, minimum } = theirs.data;
      assert.deepEqual(ours.soa, { mname, rname, serial, refresh, retry, expire, minimum });
      assert.equal(ours.data, [mname, rname, serial, refresh, retry, expire, minimum].join(' '));
      break;
    }
    default:
      assertSameLater(ours, theirs);
  }
}

const hex = (octets: Buffer): string => octets.toString('hex').toUpperCase();

/** The same for the types without a member that is null for other types. */
function assertSameLater(ours: DnsRecord, theirs: Answer): void {
  switch (theirs.type) {
    case 'SRV':
      assert.deepEqual(ours.srv, theirs.data);
      break;
    case 'DS': {
      const { keyTag, algorithm, digestType, digest } = theirs.data;
      const { algorithmName, digestTypeName, ...members } = ours.ds ?? {};
      assert.deepEqual(members, { keyTag, algorithm, digestType, digest: hex(digest) });
      assert.ok(ours.data.startsWith(`${keyTag} ${algorithmName ?? algorithm} ${digestType} ${hex(digest)}`));
      assert.ok(digestTypeName === null || ours.data.endsWith(` ; ${digestTypeName}`));
      break;
    }
    case 'DNSKEY': {
      const { flags, algorithm, key } = theirs.data;
      const { keyTag, algorithmName, ...members } = ours.dnskey ?? {};
      assert.deepEqual(members, { flags, protocol: 3, algorithm, publicKey: key.toString('base64') });
      assert.equal(ours.data, `${flags} 3 ${algorithmName ?? algorithm} ${key.toString('base64')} ; key tag ${keyTag}`);
      break;
    }
    case 'TLSA': {
      const { usage, selector, matchingType, certificate } = theirs.data;
      const certificateAssociationData = hex(certificate);
      assert.deepEqual(ours.tlsa, { certificateUsage: usage, selector, matchingType, certificateAssociationData });
      assert.ok(ours.data.startsWith(`${usage} ${selector} ${matchingType} ${certificateAssociationData}`));
      break;
    }
    case 'SSHFP': {
      const { algorithm, hash, fingerprint } = theirs.data;
      assert.deepEqual(ours.sshfp, { algorithm, fpType: hash, fingerprint: fingerprint.toUpperCase() });
      break;
    }
    case 'NAPTR':
      assert.deepEqual(ours.naptr, theirs.data);
      break;
    default:
      if (ours.svcb === undefined) assert.equal(ours.data, (theirs as { data: string }).data);
      else assert.deepEqual(octetsOfService(ours.svcb), (theirs as unknown as { data: Buffer }).data);
  }
}

/** The octets of a record whose parameters are a port, or have no known format. */
function octetsOfService({ svcPriority, svcParams }: NonNullable<DnsRecord['svcb']>): Buffer {
  const params = svcParams.map(({ key, values }) => {
    const number = key === 'port' ? 3 : key === 'dohpath' ? 7 : Number(key.replace('key', ''));
    const value =
      key === 'port' ? Buffer.from([Number(values[0]) >> 8, Number(values[0]) & 255]) : octetsOf(values[0] ?? '');
    return Buffer.concat([Buffer.from([number >> 8, number & 255, 0, value.length]), value]);
  });
  return Buffer.concat([Buffer.from([0, svcPriority, 0]), ...params]);
}

test('writes queries that dns-packet reads: recursion and authentic data desired, EDNS with DO', () => {
  checkDrawn(400, (draw) => {
    const { below, name, pick } = randomRecords(draw);
    const type = pick(dnsTypes);
    const isChecked = below(2) === 0;
    const queried = name().toLowerCase();
    const bytes = encodeQuery(queried, type, isChecked ? 'checked' : 'unchecked');
    const query = decode(Buffer.from(bytes));
    assert.equal(decode.bytes, bytes.length);
    assert.deepEqual(query.questions, [{ name: queried, type: packetTypeOf(type), class: 'IN' }]);
    assert.deepEqual([query.type, query.id, query.flags], ['query', 0, isChecked ? 0x0120 : 0x0130]);
    const [opt] = (query.additionals ?? []) as { udpPayloadSize: number; flags: number; options: unknown[] }[];
    assert.deepEqual([opt?.udpPayloadSize, opt?.flags, opt?.options.length], [4096, 0x8000, 0]);
    const again = encode({
      id: 0,
      type: 'query',
      flags: query.flags ?? 0,
      questions: [{ name: queried, type: packetTypeOf(type) as 'A' }],
      additionals: query.additionals ?? [],
    });
    assert.deepEqual(Buffer.from(bytes), again);
  });
});

test('reads what dns-packet writes, and compressed names as dns-packet reads them', () => {
  let read = 0;
  const rounds = checkDrawn(1500, (values) => {
    const draw = randomRecords(values);
    const { below } = draw;
    const name = draw.name().toLowerCase();
    const type = draw.pick(Object.keys(typeNumbers) as RecordType[]);
    const input = {
      name,
      type,
      dnssec: below(3) === 0,
      answers: Array.from({ length: below(6) }, draw.record),
      authorities: Array.from({ length: below(3) }, draw.record),
      extendedErrors: below(4) === 0 ? [[below(40), 'why'] as [number, string]] : [],
    };
    for (const bytes of [encodeResponse(input), encodeCompressedResponse(input)]) {
      const ours = decodeResponse(bytes, name, type);
      const theirs = decode(Buffer.from(bytes));
      assert.ok(ours !== null);
      assert.equal(ours.authentic, theirs.flag_ad);
      assert.deepEqual(
        ours.extendedErrors,
        input.extendedErrors.map(([code, text]) => ({ code, text })),
      );
      assert.equal(ours.answers.length, input.answers.length);
      assert.equal(ours.authorities.length, input.authorities.length);
      for (const [at, record] of ours.answers.entries()) assertSame(record, theirs.answers?.[at] as Answer);
      for (const [at, record] of ours.authorities.entries()) assertSame(record, theirs.authorities?.[at] as Answer);
      read += ours.answers.length + ours.authorities.length;
    }
  });
  assert.ok(read > 3 * rounds, `${read} records in ${rounds} messages`);
});

const only = (input: Answer): DnsRecord | undefined => {
  const name = 'example.com';
  return decodeResponse(encodeResponse({ name, type: 'A', answers: [input] }), name, 'A')?.answers[0];
};

test('formats every type as in zone files', () => {
  const name = 'example.com';
  assert.deepEqual(rdataOf(only({ name, type: 'A', data: '192.0.2.1' })), { ...none, data: '192.0.2.1' });
  assert.deepEqual(rdataOf(only({ name, type: 'AAAA', data: '2001:db8:0:0::1' })), { ...none, data: '2001:db8::1' });
  assert.deepEqual(rdataOf(only({ name, type: 'NS', data: 'NS1.example.com' })), { ...none, data: 'NS1.example.com' });
  assert.deepEqual(rdataOf(only({ name, type: 'MX', data: { preference: 0, exchange: '.' } })), {
    ...none,
    data: '0 .',
    mx: { preference: 0, exchange: '.' },
  });
  assert.deepEqual(rdataOf(only({ name, type: 'TXT', data: ['v=spf1 ', '-all'] })), {
    ...none,
    data: 'v=spf1 -all',
    txt: { chunks: ['v=spf1 ', '-all'] },
  });
  assert.deepEqual(
    rdataOf(
      only({ name, type: 'CAA', data: { flags: 128, tag: 'issue', value: 'ca.example; x="1"', issuerCritical: true } }),
    ),
    {
      ...none,
      data: '128 issue "ca.example; x=\\"1\\""',
      caa: { flags: 128, tag: 'issue', value: 'ca.example; x="1"' },
    },
  );
  const soa = {
    mname: 'ns.example.com',
    rname: 'Admin.example.com',
    serial: 4_294_967_295,
    refresh: 1,
    retry: 2,
    expire: 3,
    minimum: 4,
  };
  assert.deepEqual(rdataOf(only({ name, type: 'SOA', data: soa })), {
    ...none,
    data: 'ns.example.com Admin.example.com 4294967295 1 2 3 4',
    soa,
  });
});

test('escapes invisible text in TXT and in names', () => {
  const text = (...chunks: (string | number[])[]) =>
    only({ name: 'example.com', type: 'TXT', data: chunks.map((chunk) => Buffer.from(chunk as string)) });
  assert.equal(text('a\u0000\n\u001b[31m\u007f\\ü😀')?.data, 'a\\000\\010\\027[31m\\127\\\\ü😀');
  // U+202E reverses the text; U+E0041 is an invisible letter.
  assert.equal(text('\u202e\u{e0041}')?.data, '\\226\\128\\174\\243\\160\\129\\129');
  assert.equal(text([0x61, 0x20, 0x2e, 0xff, 0xc3])?.data, 'a .\\255\\195');
  const split = text([0x61, 0xc3], [0xbc]);
  assert.equal(split?.data, 'aü');
  assert.deepEqual(split?.txt?.chunks, ['a\\195', '\\188']);
  const bytes = encodeResponse({
    name: 'example.com',
    type: 'NS',
    answers: [{ name: 'example.com', type: 'NS', data: 'abcdef.example.net' }],
  });
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).set(
    [0x0a, 0x2e, 0x5c, 0x20, 0xe2, 0x22],
    Buffer.from(bytes).indexOf('abcdef'),
  );
  assert.equal(decodeResponse(bytes, 'example.com', 'NS')?.answers[0]?.data, '\\010\\.\\\\\\032\\226".example.net');
});

test('treats a TTL with the highest bit set as 0', () => {
  assert.equal(only({ name: 'example.com', type: 'A', ttl: 2 ** 31 - 1, data: '192.0.2.1' })?.ttl, 2 ** 31 - 1);
  assert.equal(only({ name: 'example.com', type: 'A', ttl: 2 ** 31, data: '192.0.2.1' })?.ttl, 0);
});

test('skips records of other types and classes', () => {
  const name = 'example.com';
  const answers: Answer[] = [
    { name, type: 'DNAME', data: 'x.example' },
    { name, type: 'A', class: 'CH', data: '192.0.2.1' },
    { name, type: 'A', data: '192.0.2.2' },
  ];
  const read = decodeResponse(encodeResponse({ name, type: 'A', answers }), name, 'A');
  assert.deepEqual(
    read?.answers.map(({ data }) => data),
    ['192.0.2.2'],
  );
});

test('reads the upper bits of the response code from EDNS', () => {
  const bytes = encodeResponse({ name: 'example.com', type: 'A' });
  // The TTL of OPT, which ends the message: six octets before its end.
  bytes[bytes.length - 6] = 1;
  assert.equal(decodeResponse(bytes, 'example.com', 'A')?.rcode, 16);
});

test('rejects messages that are not responses to the query', () => {
  const name = 'example.com';
  const bytes = encodeResponse({ name, type: 'A', answers: [{ name, type: 'A', data: '192.0.2.1' }] });
  assert.notEqual(decodeResponse(bytes, name, 'A'), null);
  assert.equal(decodeResponse(bytes, name, 'AAAA'), null);
  assert.equal(decodeResponse(bytes, 'www.example.com', 'A'), null);
  const echoed = encodeResponse({ name: 'eXample.COM', type: 'A' });
  assert.notEqual(decodeResponse(echoed, name, 'A'), null);
  const query = encodeQuery(name, 'A', 'checked');
  assert.equal(decodeResponse(query, name, 'A'), null);
  const changes: [what: string, at: number, octet: number][] = [
    ['another id', 1, 1],
    ['another opcode', 2, 0xa9],
    ['truncated', 2, 0x83],
    ['no question', 5, 0],
    ['two questions', 5, 2],
    ['another class', 28, 3],
  ];
  for (const [what, at, octet] of changes) {
    const changed = Uint8Array.from(bytes);
    changed[at] = octet;
    assert.equal(decodeResponse(changed, name, 'A'), null, what);
  }
});

test('rejects every truncated response', () => {
  checkDrawn(40, (values) => {
    const draw = randomRecords(values);
    const bytes = encodeCompressedResponse({ name: 'example.com', type: 'A', answers: [draw.record(), draw.record()] });
    for (let length = 0; length < bytes.length; length += 1)
      assert.equal(decodeResponse(bytes.subarray(0, length), 'example.com', 'A'), null);
  });
});

test('rejects forward, self-referential and looping pointers, and names that are too long', () => {
  const head = [0, 0, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0x61, 0, 0, 1, 0, 1];
  const rest = [0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 192, 0, 2, 1];
  const read = (...owner: number[]) => decodeResponse(Uint8Array.from([...head, ...owner, ...rest]), 'a', 'A');
  assert.equal(read(0xc0, 12)?.answers[0]?.name, 'a');
  assert.equal(read(1, 0x62, 0xc0, 12)?.answers[0]?.name, 'b.a');
  for (const owner of [
    [0xc0, 19],
    [0xc0, 21],
    [1, 0x62, 0xc0, 19],
    [1, 0x62, 0xc0, 21],
    [0xff, 0xff],
    [0x40, 0],
    [0x80, 0],
  ])
    assert.equal(read(...owner), null, String(owner));
  // Two pointers to each other, in the data of the previous record.
  const circle = [0xc0, 12, 0, 99, 0, 1, 0, 0, 0, 0, 0, 4, 0xc0, 33, 0xc0, 31];
  const twice = head.with(7, 2);
  assert.equal(decodeResponse(Uint8Array.from([...twice, ...circle, 0xc0, 31, ...rest]), 'a', 'A'), null);
  assert.equal(decodeResponse(Uint8Array.from([...twice, ...circle, 0xc0, 12, ...rest]), 'a', 'A')?.answers.length, 1);
  const label = (size: number) => [size, ...Array<number>(size).fill(0x62)];
  const longest = [...label(63), ...label(63), ...label(63), ...label(61), 0];
  assert.equal(read(...label(64), 0), null);
  assert.equal(read(...longest)?.answers[0]?.name.length, 253);
  assert.equal(read(...label(63), ...label(63), ...label(63), ...label(62), 0), null);
  assert.equal(read(...label(63), ...label(63), ...label(63), ...label(60), 0xc0, 12), null);
});

/** A response with records of this data, each with the type's number. */
function responseOf(...records: (readonly [number, ...number[]])[]): Uint8Array {
  const head = [0, 0, 0x81, 0x80, 0, 1, 0, records.length, 0, 0, 0, 0, 1, 0x61, 0, 0, 1, 0, 1];
  const encoded = records.map(([type, ...data]) => {
    const ttl = [0, 0, 0, 60];
    return [0xc0, 12, type >> 8, type & 255, 0, 1, ...ttl, data.length >> 8, data.length & 255, ...data];
  });
  return Uint8Array.from([...head, ...encoded.flat()]);
}

test('reports malformed data as an error of that record only, with its octets', () => {
  const valid = [1, 192, 0, 2, 1] as const;
  const { A, AAAA, MX, TXT, CAA, SOA, SRV, HTTPS, DS, DNSKEY, NAPTR } = typeNumbers;
  const malformed: (readonly [number, ...number[]])[] = [
    [A, 192, 0, 2],
    [A, 192, 0, 2, 1, 1],
    [AAAA],
    [MX, 0, 10],
    [MX, 0, 10, 0xc0, 99],
    [TXT, 5, 0x61],
    [CAA, 0, 9, 0x61],
    [SOA, 0, 0, 1],
    [SRV, 0, 1, 0, 1, 0],
    [HTTPS, 0, 1],
    [DS, 0, 1, 8],
    [DNSKEY, 1, 1, 3],
    [NAPTR, 0, 1, 0, 1, 1, 0x53, 3, 0x61],
  ];
  for (const record of malformed) {
    const read = decodeResponse(responseOf(valid, record, valid), 'a', 'A');
    assert.deepEqual(
      read?.answers.map(({ error = null }) => error !== null),
      [false, true, false],
      String(record),
    );
    const [type, ...data] = record;
    const [, found] = read?.answers ?? [];
    assert.equal(typeNumbers[found?.type ?? 'A'], type);
    assert.equal(found?.data, `\\# ${data.length} ${hex(Buffer.from(data))}`.trimEnd());
    assert.match(found?.error ?? '', /^Malformed: .+[^.]\.$/);
  }
  // The stated length is that of the message's frame: beyond it, nothing can be read.
  const bytes = responseOf(valid);
  bytes[bytes.length - 5] = 5;
  assert.equal(decodeResponse(bytes, 'a', 'A'), null);
});

/** What the service shows for an HTTPS record with these octets: its text, or why it is malformed. */
function serviceOf(octets: string): string | undefined {
  const [record] =
    decodeResponse(responseOf([typeNumbers.HTTPS, ...Buffer.from(octets, 'hex')]), 'a', 'A')?.answers ?? [];
  return record?.error ?? record?.data;
}

test('reads the test vectors of RFC 9460 appendix D', () => {
  const foo = '03666f6f076578616d706c6503636f6d00';
  const vectors = {
    [`0000${foo}`]: '0 foo.example.com',
    '000100': '1 .',
    [`0010${foo}000300020035`]: '16 foo.example.com port=53',
    [`0001${foo}029b000568656c6c6f`]: '1 foo.example.com key667=hello',
    [`0001${foo}029b000968656c6c6fd2716f6f`]: '1 foo.example.com key667=hello\\210qoo',
    [`0001${foo}0006002020010db800000000000000000000000120010db8000000000000000000530001`]:
      '1 foo.example.com ipv6hint=2001:db8::1,2001:db8::53:1',
    [`0001${foo}0006001020010db80122034400000000c0000221`]: '1 foo.example.com ipv6hint=2001:db8:122:344::c000:221',
    '001003666f6f076578616d706c65036f7267000000000400010004000100090268320568332d313900040004c0000201':
      '16 foo.example.org mandatory=alpn,ipv4hint alpn=h2,h3-19 ipv4hint=192.0.2.1',
    '001003666f6f076578616d706c65036f7267000001000c08665c6f6f2c626172026832':
      '16 foo.example.org alpn=f\\\\\\\\oo\\\\,bar,h2',
  };
  for (const [octets, text] of Object.entries(vectors)) assert.equal(serviceOf(octets), text, octets);
});

test('reports service parameters that clients must reject', () => {
  for (const [params, reason] of Object.entries({
    '00010003026833000000020001': /ascending/,
    '0003000200350003000200350': /ascending|early/,
    '00030001ff': /parameter 3 /,
    '00040000': /parameter 4 /,
    '0004000301020': /early|parameter 4 /,
    '00010000': /parameter 1 /,
    '0001000100': /parameter 1 /,
    '00010002056a': /early/,
    '0002000100': /parameter 2 /,
    '00020000': /no-default-alpn without alpn/,
    '000000020001': /mandatory/,
    '00000004000300030003000200350': /ascending|mandatory/,
    '000000020000': /mandatory/,
    '0005': /early/,
    '00050000': /parameter 5 /,
  }))
    assert.match(serviceOf(`000100${params}`) ?? '', reason, params);
  assert.equal(serviceOf('00010000070000'), '1 . dohpath');
  assert.equal(serviceOf('0001000001000302683300020000fde80003612062'), '1 . alpn=h3 no-default-alpn key65000="a b"');
  assert.equal(serviceOf('000000'), '0 .');
  // RFC 9460 §2.4.2
  assert.equal(serviceOf('00000000020000'), '0 . no-default-alpn');
});

test('computes key tags, that of RFC 4034 §5.4 among them', () => {
  const key =
    'AQOeiiR0GOMYkDshWoSKz9XzfwJr1AYtsmx3TGkJaNXVbfi/2pHm822aJ5iI9BMzNXxeYCmZDRD99WYwYqUSdjMmmAphXdvxegXd/M5+X7OrzKBaMbCVdFLUUh6DhweJBjEVv5f2wwjM9XzcnOf+EPbtG9DMBmADjFDc2w/rljwvFw==';
  const record = only({
    name: 'example.com',
    type: 'DNSKEY',
    data: { flags: 256, algorithm: 5, key: Buffer.from(key, 'base64') },
  });
  assert.deepEqual([record?.dnskey?.keyTag, record?.dnskey?.algorithmName], [60485, 'RSASHA1']);
  assert.equal(record?.data, `256 3 RSASHA1 ${key} ; key tag 60485`);
});

const pointerTo = (position: number): number[] => [0xc0 | (position >> 8), position & 255];

test('rejects a name with more pointers than a name can have labels', () => {
  const question = [0, 0, 1, 0, 1];
  const start = 12 + question.length + 11;
  /** The owner of the second record points to the last of `count` pointers, each to the one before, in the data of the first. */
  const read = (count: number) => {
    const chain = Array.from({ length: count }, (_, at) => pointerTo(at === 0 ? 12 : start + 2 * (at - 1)));
    const first = [0, 0, 99, 0, 1, 0, 0, 0, 0, 0, 2 * count, ...chain.flat()];
    const second = [...pointerTo(start + 2 * (count - 1)), 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 192, 0, 2, 1];
    const head = [0, 0, 0x81, 0x80, 0, 1, 0, 2, 0, 0, 0, 0];
    return decodeResponse(Uint8Array.from([...head, ...question, ...first, ...second]), '.', 'A');
  };
  assert.equal(read(100)?.answers[0]?.name, '.');
  assert.equal(read(126)?.answers[0]?.name, '.');
  // With that of the owner, 128.
  assert.equal(read(127), null);
});

test('reads long names and malformed data hardly slower than short names and other data', () => {
  const count = 4_000;
  const name = [...Array.from({ length: 126 }, () => [1, 0x62]).flat(), 0];
  const start = 12 + 5 + 11;
  const record = ({ owner = [0], type = 1, data = [192, 0, 2, 1] }: Record<string, number | number[]>) =>
    [owner, 0, type, 0, 1, 0, 0, 0, 0, (data as number[]).length >> 8, (data as number[]).length & 255, data].flat();
  const messageOf = (recordAt: (at: number) => number[]): Uint8Array =>
    Uint8Array.from([
      ...[0, 0, 0x81, 0x80, 0, 1, (count + 1) >> 8, (count + 1) & 255, 0, 0, 0, 0, 0, 0, 1, 0, 1],
      ...record({ type: 99, data: name }),
      ...Array.from({ length: count }, (_, at) => recordAt(at)).flat(),
    ]);
  const messages = {
    plain: messageOf(() => record({ owner: pointerTo(12) })),
    'long names': messageOf(() => record({ owner: pointerTo(start) })),
    'malformed data': messageOf(() => record({ owner: pointerTo(12), data: [] })),
  };
  const leastMs = Object.fromEntries(Object.keys(messages).map((kind) => [kind, Number.POSITIVE_INFINITY]));
  for (let round = 0; round < 12; round += 1)
    for (const [kind, bytes] of Object.entries(messages)) {
      const startMs = threadMs();
      assert.equal(codec.decodeResponse(bytes, '.', 'A')?.answers.length, count, kind);
      leastMs[kind] = Math.min(leastMs[kind] ?? 0, threadMs() - startMs);
    }
  const { plain = 0, ...others } = leastMs;
  for (const [kind, ms] of Object.entries(others)) assert.ok(ms < 5 * plain, `${kind}: ${ms} ms, plain: ${plain} ms`);
});
