/** The caller's TLS connection. */
import * as z from 'zod';
import type { ObservedRequest } from '../core/observed.ts';

export const Tls = z
  .object({
    version: z.string().nullable().describe('Negotiated version, such as TLSv1.3'),
    cipher: z.string().nullable().describe('Negotiated cipher suite, as the edge names it'),
    clientHelloLength: z.int().nullable().describe('Length of the ClientHello body in bytes'),
    clientCiphersSha1: z
      .string()
      .nullable()
      .describe(
        'Base64 of the SHA-1 of the cipher suites the client offered, in its order; not a JA3 or JA4. The more stable fingerprint of the two',
      ),
    clientExtensionsSha1: z
      .string()
      .nullable()
      .describe(
        'Base64 of the SHA-1 of the extension ids the client sent; changes between connections of browsers that shuffle them',
      ),
  })
  .meta({ id: 'Tls', description: 'The TLS connection and its ClientHello; all null on plain HTTP' });
export type Tls = z.infer<typeof Tls>;

export const TlsConnection = Tls.extend({
  httpProtocol: z.string().nullable().describe('HTTP version spoken over the connection'),
}).meta({ id: 'TlsConnection', description: 'The TLS connection and the HTTP version spoken over it' });
export type TlsConnection = z.infer<typeof TlsConnection>;

export function tls(observed: ObservedRequest): Tls {
  const { version, cipher, clientHelloLength, clientCiphersSha1, clientExtensionsSha1 } = observed.tls;
  return { version, cipher, clientHelloLength, clientCiphersSha1, clientExtensionsSha1 };
}

export function tlsConnection(observed: ObservedRequest): TlsConnection {
  return { ...tls(observed), httpProtocol: observed.protocol };
}
