/** The QUIC handshake of the client, with IANA's names. */
import * as z from 'zod';
import { type ClientHello, transportParametersOf } from '../client/fingerprint/client-hello.ts';
import { fieldOf, integerField, nullsOf } from '../core/field.ts';
import type { ObservedHandshake } from '../core/observed.ts';
import { Named } from './fingerprint-tls.ts';

const TransportParameter = Named.extend({
  value: z.number().nullable().describe('The value if it is one integer, else null'),
  length: z.int().describe('Length in bytes'),
});

export const QuicOpening = z
  .object({
    version: integerField('QUIC version', 'Version of the packets with the ClientHello, such as 1'),
    transportParameters: fieldOf(z.array(TransportParameter).nullable())(
      'Transport parameters',
      'Transport parameters in the order sent; reserved ones are named GREASE',
    ),
    destinationIdLength: integerField(
      'Destination connection id',
      'Length of the connection id that the client chose for the server in its first packet; null if unknown',
      ' bytes',
    ),
    sourceIdLength: integerField('Source connection id', 'Length of the client’s own connection id', ' bytes'),
    cryptoFrames: integerField('CRYPTO frames', 'CRYPTO frames that carried the ClientHello; Chromium shuffles them'),
    datagrams: integerField('Datagrams', 'Datagrams that carried the ClientHello'),
  })
  .meta({ id: 'QuicOpening', description: 'Opening of QUIC by the client; all null over TCP and behind proxies' });
export type QuicOpening = z.infer<typeof QuicOpening>;

const noQuic = nullsOf(QuicOpening);

export function quicOpening({ quic }: ObservedHandshake, hello: ClientHello | null): QuicOpening {
  if (quic === null) return noQuic;
  // Not spread: an edge's object may have more members, such as the ClientHello.
  const { version, destinationIdLength, sourceIdLength, cryptoFrames, datagrams } = quic;
  const transportParameters = hello && transportParametersOf(hello);
  return { version, transportParameters, destinationIdLength, sourceIdLength, cryptoFrames, datagrams };
}
