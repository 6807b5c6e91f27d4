/** Texts that pass through the store, or stay there, and that only the instances with the same secret can read or write. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

/** 132 bits in Base64url. */
const nameLength = 22;

/** Returns the part of keys and channels that only instances with the same secret and text have in common. The store learns neither of them. */
export const sharedName = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text).digest('base64url').slice(0, nameLength);

/** `purpose` separates the keys that are derived from one secret (HKDF, RFC 5869). */
export function createSealer(secret: string, purpose: string) {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', purpose, keyBytes));
  return {
    /** Returns the initialization vector, the ciphertext and the tag in Base64. */
    seal(text: string): string {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv);
      return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64');
    },
    /** Null for what was not sealed with the same secret for the same purpose. */
    open(sealed: string): string | null {
      const bytes = Buffer.from(sealed, 'base64');
      if (bytes.length < ivBytes + tagBytes) return null;
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]).toString();
      } catch {
        return null;
      }
    },
  };
}
