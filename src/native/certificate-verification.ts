/**
 * Bounds the verification of a server's certificates: how many bytes of them OpenSSL reads, and that it ends at the first error, as it does
 * by default. Node lets it continue, to decide afterwards: it would verify the signatures of any chain, and 100 KB of keys chosen for it take
 * 0.6 s (RSA, 3,072 bits, exponents as long). A chain that ends at no trusted root fails before any signature is verified, and one that does has
 * keys of its authorities only.
 *
 * Relies on `_external` of Node's own context in a `SecureContext`, a pointer to OpenSSL's `SSL_CTX` whose address `inspect` prints, on
 * public functions of OpenSSL, and on `node:ffi`. Checked in Node 26.10 with OpenSSL 3.5.8. Without one of them, nothing is bounded.
 */
import type { SecureContext } from 'node:tls';
import { inspect } from 'node:util';
import { loadFunctions } from './ffi.ts';

const calls = await loadFunctions({
  SSL_CTX_ctrl: { arguments: ['pointer', 'i32', 'i64', 'pointer'], return: 'i64' },
  SSL_CTX_set_cert_verify_callback: { arguments: ['pointer', 'pointer', 'pointer'], return: 'void' },
  X509_STORE_CTX_set_verify_cb: { arguments: ['pointer', 'pointer'], return: 'void' },
  X509_verify_cert: { arguments: ['pointer'], return: 'i32' },
});

/** The address of a function with the type of SSL_CTX_set_cert_verify_callback(3). */
const verify = calls === null ? null : registerVerification(calls);

/** SSL_CTRL_SET_MAX_CERT_LIST of openssl/ssl.h. */
const setMaxCertList = 51;

/** Returns whether it is bounded. The caller keeps the context as long as its connections. */
export function boundVerification(context: SecureContext, maxBytes: number): boolean {
  const pointer = inspect((context.context as { _external?: unknown })?._external);
  const [, address] = /^\[External: ([\da-f]+)\]$/.exec(pointer) ?? [];
  if (calls === null || verify === null || address === undefined) return false;
  const at = BigInt(`0x${address}`);
  calls.SSL_CTX_ctrl(at, setMaxCertList, BigInt(maxBytes), 0n);
  calls.SSL_CTX_set_cert_verify_callback(at, verify, 0n);
  return true;
}

function registerVerification({
  registerCallback,
  X509_STORE_CTX_set_verify_cb: setErrorCallback,
  X509_verify_cert: verifyCertificate,
}: NonNullable<typeof calls>): bigint {
  // Whether it is to continue: OpenSSL passes 0 at an error.
  const decide = registerCallback({ arguments: ['i32', 'pointer'], return: 'i32' }, (isValid) => isValid);
  return registerCallback({ arguments: ['pointer', 'pointer'], return: 'i32' }, (store) => {
    setErrorCallback(store, decide);
    return verifyCertificate(store);
  });
}
