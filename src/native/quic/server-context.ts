/** The settings of OpenSSL that all connections share: certificate, key, and the application protocol. */
import * as constants from './data/openssl-constants.ts';
import { openSsl } from './openssl.ts';
import type { QuicCertificate } from './server-interface.ts';

/** `h3` with its length (RFC 7301 §3.1). */
const protocols = Buffer.from('\x02h3');
/** A client needs one for its next connection. */
const sessionTickets = 1n;
const handshakeRecord = 22;
const clientHelloMessage = 1;
const messageHeaderBytes = 4;

/** Returns OpenSSL's context for these groups of the key exchange. `onClientHello` gets OpenSSL's pointer to the connection, and a copy of the body of every ClientHello. */
export function createServerContext(
  groups: readonly string[],
  onClientHello: (connection: bigint, body: Uint8Array) => void,
): bigint {
  const context = openSsl.SSL_CTX_new(openSsl.OSSL_QUIC_server_method());
  if (context === 0n || openSsl.SSL_CTX_set_domain_flags(context, constants.singleThread) !== 1)
    throw new Error('OpenSSL cannot create a QUIC server');
  if (openSsl.SSL_CTX_ctrl(context, constants.setGroups, 0n, Buffer.from(`${groups.join(':')}\0`)) !== 1n)
    throw new Error(`OpenSSL does not know all groups of ${groups.join()}`);
  const selectProtocol = openSsl.registerCallback(
    { arguments: ['pointer', 'pointer', 'pointer', 'pointer', 'u32', 'pointer'], return: 'i32' },
    (...[, out, outLength, offered, offeredLength]) => {
      const { length } = protocols;
      const selected = openSsl.SSL_select_next_proto(out, outLength, protocols, length, offered, offeredLength);
      return selected === constants.protocolSelected ? constants.acknowledge : constants.alertFatal;
    },
  );
  openSsl.SSL_CTX_set_alpn_select_cb(context, selectProtocol, null);
  const onMessage = openSsl.registerCallback(
    { arguments: ['i32', 'i32', 'i32', 'pointer', 'u64', 'pointer', 'pointer'], return: 'void' },
    (...[isWritten, , contentType, at, length, connection]) => {
      if (isWritten !== 0 || contentType !== handshakeRecord) return;
      const message = new Uint8Array(openSsl.toArrayBuffer(at as bigint, Number(length), false));
      if (message[0] !== clientHelloMessage) return;
      // Two dozen further calls would follow in a handshake.
      openSsl.SSL_set_msg_callback(connection as bigint, null);
      // A copy: OpenSSL reuses its buffer.
      onClientHello(connection as bigint, message.slice(messageHeaderBytes));
    },
  );
  openSsl.SSL_CTX_set_msg_callback(context, onMessage);
  openSsl.SSL_CTX_set_num_tickets(context, sessionTickets);
  return context;
}

/** Throws an Error if OpenSSL rejects the certificate. */
export function setCertificate(context: bigint, { cert, key }: QuicCertificate): void {
  const certificates = readAll(cert, 'PEM_read_bio_X509');
  const [privateKey = 0n] = readAll(key, 'PEM_read_bio_PrivateKey');
  const chain = openSsl.OPENSSL_sk_new_null();
  for (const issuer of certificates.slice(1)) openSsl.OPENSSL_sk_push(chain, issuer);
  const [leaf = 0n] = certificates;
  const isUsed = openSsl.SSL_CTX_use_cert_and_key(context, leaf, privateKey, chain, constants.override);
  // The context has its own references.
  openSsl.OPENSSL_sk_free(chain);
  for (const each of certificates) openSsl.X509_free(each);
  openSsl.EVP_PKEY_free(privateKey);
  openSsl.ERR_clear_error();
  if (isUsed !== 1) throw new Error('OpenSSL rejects the certificate or its key');
}

/** Returns the objects of a PEM text, in order. */
function readAll(pem: string, reader: 'PEM_read_bio_X509' | 'PEM_read_bio_PrivateKey'): bigint[] {
  const bytes = Buffer.from(pem);
  const input = openSsl.BIO_new_mem_buf(bytes, bytes.length);
  const found: bigint[] = [];
  const readNext = (): bigint => openSsl[reader](input, null, null, null);
  for (let next = readNext(); next !== 0n; next = readNext()) found.push(next);
  openSsl.BIO_free(input);
  return found;
}
