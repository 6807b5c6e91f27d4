/** The settings of OpenSSL that all connections share: certificate, key, and the application protocol. */
import type { OpenSsl } from './openssl.ts';
import type { QuicCertificate } from './quic.ts';

/** A message of TLS or QUIC, as OpenSSL reports it; `bytes` are valid during the call. */
export interface WireMessage {
  /** The connection that it belongs to. */
  readonly ssl: bigint;
  /** TLS: the record type (RFC 8446 §5.1); QUIC: one of OpenSSL's numbers from 0x200 on. */
  readonly contentType: number;
  bytes(): Uint8Array;
}

export interface ServerContext {
  readonly pointer: bigint;
  setCertificate(certificate: QuicCertificate): void;
}

const singleThread = 1n;
/** `h3` with its length (RFC 7301 §3.1). */
const protocols = Buffer.from('\x02h3');
const protocolSelected = 1;
const acknowledge = 0;
const alertFatal = 2;
const override = 1;

/** Throws an Error if OpenSSL rejects the certificate. `onReceived` gets what clients send until it is switched off for a connection. */
export function createServerContext(
  openSsl: OpenSsl,
  certificate: QuicCertificate,
  onReceived: (message: WireMessage) => void,
): ServerContext {
  const pointer = openSsl.SSL_CTX_new(openSsl.OSSL_QUIC_server_method());
  if (pointer === 0n || openSsl.SSL_CTX_set_domain_flags(pointer, singleThread) !== 1)
    throw new Error('OpenSSL cannot create a QUIC server');
  const selectProtocol = openSsl.registerCallback(
    { arguments: ['pointer', 'pointer', 'pointer', 'pointer', 'u32', 'pointer'], return: 'i32' },
    (...[, out, outLength, offered, offeredLength]) => {
      const { length } = protocols;
      const selected = openSsl.SSL_select_next_proto(out, outLength, protocols, length, offered, offeredLength);
      return selected === protocolSelected ? acknowledge : alertFatal;
    },
  );
  openSsl.SSL_CTX_set_alpn_select_cb(pointer, selectProtocol, null);
  const receive = openSsl.registerCallback(
    { arguments: ['i32', 'i32', 'i32', 'pointer', 'u64', 'pointer', 'pointer'], return: 'void' },
    (...[isWritten, , contentType, at, length, ssl]) => {
      if (isWritten !== 0) return;
      const bytes = () => new Uint8Array(openSsl.toArrayBuffer(at as bigint, Number(length), false));
      onReceived({ ssl: ssl as bigint, contentType, bytes });
    },
  );
  openSsl.SSL_CTX_set_msg_callback(pointer, receive);
  const context = {
    pointer,
    setCertificate: (renewed: QuicCertificate) => setCertificate(openSsl, pointer, renewed),
  };
  context.setCertificate(certificate);
  return context;
}

function setCertificate(openSsl: OpenSsl, context: bigint, { cert, key }: QuicCertificate): void {
  const certificates = readAll(openSsl, cert, 'PEM_read_bio_X509');
  const [privateKey = 0n] = readAll(openSsl, key, 'PEM_read_bio_PrivateKey');
  const chain = openSsl.OPENSSL_sk_new_null();
  for (const issuer of certificates.slice(1)) openSsl.OPENSSL_sk_push(chain, issuer);
  const [leaf = 0n] = certificates;
  const isUsed = openSsl.SSL_CTX_use_cert_and_key(context, leaf, privateKey, chain, override);
  // The context has its own references.
  openSsl.OPENSSL_sk_free(chain);
  for (const each of certificates) openSsl.X509_free(each);
  openSsl.EVP_PKEY_free(privateKey);
  openSsl.ERR_clear_error();
  if (isUsed !== 1) throw new Error('OpenSSL rejects the certificate or its key');
}

/** Returns the objects of a PEM text, in order. */
function readAll(openSsl: OpenSsl, pem: string, reader: 'PEM_read_bio_X509' | 'PEM_read_bio_PrivateKey'): bigint[] {
  const bytes = Buffer.from(pem);
  const input = openSsl.BIO_new_mem_buf(bytes, bytes.length);
  const found: bigint[] = [];
  for (;;) {
    const object = openSsl[reader](input, null, null, null);
    if (object === 0n) break;
    found.push(object);
  }
  openSsl.BIO_free(input);
  return found;
}
