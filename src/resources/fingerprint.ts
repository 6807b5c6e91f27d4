/** Fingerprints of the connection: TLS ClientHello, the handshake of HTTP/2, HTTP/3 and QUIC, and TCP SYN. */
import * as z from 'zod';
import { akamai } from '../client/fingerprint/akamai.ts';
import { parseWholeClientHello, type WholeClientHello } from '../client/fingerprint/client-hello.ts';
import { parseHttp2Preface, pseudoHeadersOf } from '../client/fingerprint/http2.ts';
import { http3Fingerprint, parseHttp3Frames } from '../client/fingerprint/http3.ts';
import { ja3, ja3OfText } from '../client/fingerprint/ja3.ts';
import { ja4 } from '../client/fingerprint/ja4.ts';
import { textField } from '../core/field.ts';
import type { ObservedHandshake, ObservedRequest } from '../core/observed.ts';
import { HttpOpening, httpOpening, QuicOpening, quicOpening, TcpOpening, tcpOpening } from './fingerprint-openings.ts';
import { ClientHelloFields, clientHelloFields } from './fingerprint-tls.ts';
import { RoundTrip, roundTrip } from './round-trip.ts';

const hashed = (name: string, hash: string, text: string) =>
  z.object({ hash: textField(name, hash), text: textField(`${name} text`, text) });

export const Fingerprint = z
  .object({
    ja3: hashed(
      'JA3',
      'MD5 of the JA3 text (Salesforce); changes with every connection of browsers that shuffle extensions',
      'Version, cipher suites, extensions, groups and point formats, decimal, without GREASE',
    ),
    ja3n: hashed(
      'JA3N',
      'MD5 of the JA3N text; stays equal if a browser shuffles extensions',
      'JA3 text with the extensions sorted by number',
    ),
    ja4: textField('JA4', 'JA4 of the ClientHello (FoxIO); lists sorted, so shuffling does not change it'),
    ja4_r: textField('JA4 raw', 'JA4 with the lists in place of their hashes'),
    ja4_o: textField(
      'JA4, original order',
      'JA4 with lists in the order sent; changes if a browser shuffles extensions',
    ),
    ja4_ro: textField('JA4 raw, original order', 'Lists of ja4_o in place of their hashes'),
    akamai: hashed(
      'Akamai HTTP/2',
      'MD5 of the Akamai text; HTTP/2 only',
      'SETTINGS, WINDOW_UPDATE, PRIORITY frames and the order of the pseudo-headers',
    ),
    h3: hashed(
      'HTTP/3',
      'MD5 of the HTTP/3 text; HTTP/3 only',
      'SETTINGS, other frames of the control stream before the first request, and the order of the pseudo-headers',
    ),
    tls: ClientHelloFields,
    quic: QuicOpening,
    http: HttpOpening,
    tcp: TcpOpening,
    roundTrip: RoundTrip,
  })
  .meta({
    id: 'Fingerprint',
    description: 'Fingerprints of the connection: TLS, QUIC, HTTP and TCP. Computed for this response and discarded',
  });
export type Fingerprint = z.infer<typeof Fingerprint>;

export function fingerprint(observed: ObservedRequest): Fingerprint {
  const { clientHello, http2Frames, http3Frames, headerFields, quic, tcpSyn } = observed.handshake;
  const hello = clientHello && readBounded(clientHello);
  const pseudoHeaders = headerFields && pseudoHeadersOf(headerFields);
  const preface = http2Frames && parseHttp2Preface(http2Frames);
  const http3 = http3Frames && parseHttp3Frames(http3Frames);
  const codes =
    hello === null ? edgeCodes(observed.handshake) : { ...ja3(hello), ...ja4(hello, quic === null ? 't' : 'q') };
  return {
    ...codes,
    akamai: preface && pseudoHeaders ? akamai(preface, pseudoHeaders) : noHash,
    h3: http3 && pseudoHeaders ? http3Fingerprint(http3, pseudoHeaders) : noHash,
    tls: clientHelloFields(hello),
    quic: quicOpening(observed.handshake, hello),
    http: httpOpening(observed, preface, http3),
    tcp: tcpOpening(tcpSyn),
    roundTrip: roundTrip(observed),
  };
}

/** More would make the response many times as large as the ClientHello; IANA has about 350 cipher suites. */
const maxListedValues = 1024;

/** Null also if the lists of the ClientHello are too long. */
function readBounded(body: Uint8Array): WholeClientHello | null {
  const hello = parseWholeClientHello(body);
  const lists = Object.values(hello ?? {}).filter((value) => Array.isArray(value));
  return lists.reduce((count, { length }) => count + length, 0) > maxListedValues ? null : hello;
}

const noHash = { hash: null, text: null };

/** Fingerprints that a trusted edge in front computed. */
function edgeCodes({ ja3: sent, ja4 }: ObservedHandshake) {
  const byText = sent === null ? null : ja3OfText(sent);
  const ja3 = byText?.ja3 ?? { hash: sent, text: null };
  return { ja3, ja3n: byText?.ja3n ?? noHash, ja4, ja4_r: null, ja4_o: null, ja4_ro: null };
}
