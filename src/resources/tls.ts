/** The client's TLS connection. */
import * as z from 'zod';
import { integerField, textField } from '../core/field.ts';
import type { ObservedRequest } from '../core/observed.ts';
import { Http } from './connection.ts';

export const Tls = z
  .object({
    version: textField('TLS version', 'Negotiated TLS version, such as TLSv1.3'),
    cipher: textField('Cipher suite', 'Negotiated cipher suite, under the name the edge uses'),
    clientHelloLength: integerField('ClientHello length', 'Length of the ClientHello body in bytes', ' bytes'),
    clientCiphersSha1: textField(
      'Cipher suites SHA-1',
      'Base64 SHA-1 of the cipher suites the client offered, in its order; not JA3 or JA4. The more stable of the two fingerprints',
    ),
    clientExtensionsSha1: textField(
      'Extensions SHA-1',
      'Base64 SHA-1 of the extension ids the client sent; differs between connections of browsers that shuffle them',
    ),
  })
  .meta({ id: 'Tls', description: 'TLS connection and ClientHello fingerprints; all null on plain HTTP' });
export type Tls = z.infer<typeof Tls>;

export const TlsConnection = Tls.extend({
  httpProtocol: Http.shape.protocol,
}).meta({ id: 'TlsConnection', description: 'TLS connection, ClientHello fingerprints and HTTP version' });
export type TlsConnection = z.infer<typeof TlsConnection>;

/** Not spread: an edge's object may have more members. */
export function tls(observed: ObservedRequest): Tls {
  const { version, cipher, clientHelloLength, clientCiphersSha1, clientExtensionsSha1 } = observed.tls;
  return { version, cipher, clientHelloLength, clientCiphersSha1, clientExtensionsSha1 };
}

export const tlsConnection = (observed: ObservedRequest): TlsConnection => ({
  ...tls(observed),
  httpProtocol: observed.protocol,
});
