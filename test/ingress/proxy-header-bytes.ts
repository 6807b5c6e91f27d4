/** Builds headers of the PROXY protocol's version 2. */

export function proxyHeader2(command: number, family: number, addresses: Buffer): Buffer {
  const length = [addresses.length >> 8, addresses.length & 0xff];
  return Buffer.concat([
    Buffer.from('0d0a0d0a000d0a515549540a', 'hex'),
    Buffer.from([command, family, ...length]),
    addresses,
  ]);
}
