/** Builds ClientHello bodies and TLS records. */

interface Parts {
  readonly cipherSuites?: Buffer;
  readonly extensions?: readonly { readonly id: number; readonly content: Buffer }[] | null;
}

const someExtensions = [
  { id: 0x1a1a, content: Buffer.alloc(0) },
  { id: 10, content: Buffer.from('000400170018', 'hex') },
  { id: 16, content: Buffer.from('000302683200', 'hex') },
];

export function clientHello({
  cipherSuites = Buffer.from('13011302', 'hex'),
  extensions = someExtensions,
}: Parts): Buffer {
  const block = extensions?.flatMap(({ id, content }) => [uint16(id), uint16(content.length), content]);
  const extensionBlock = block && Buffer.concat(block);
  return Buffer.concat([
    Buffer.from('0303', 'hex'),
    Buffer.alloc(32, 7),
    Buffer.from('20', 'hex'),
    Buffer.alloc(32, 9),
    uint16(cipherSuites.length),
    cipherSuites,
    Buffer.from('0100', 'hex'),
    ...(extensionBlock ? [uint16(extensionBlock.length), extensionBlock] : []),
  ]);
}

/** Builds the handshake message of a body, in records of at most this many bytes. */
export function inRecords(body: Buffer, recordBytes: number): Buffer {
  const length = uint16(body.length & 0xffff);
  const message = Buffer.concat([Buffer.from([1, body.length >> 16]), length, body]);
  return recut(message, recordBytes);
}

/** Divides a handshake message into records of at most this many bytes. */
export function recut(message: Buffer, recordBytes: number): Buffer {
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += recordBytes) {
    const fragment = message.subarray(at, at + recordBytes);
    records.push(Buffer.from('160301', 'hex'), uint16(fragment.length), fragment);
  }
  return Buffer.concat(records);
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}
