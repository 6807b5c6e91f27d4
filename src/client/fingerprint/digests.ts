/** Hex digests of a fingerprint's text, by a library that needs no runtime. */
import { md5 as hashMd5 } from '@noble/hashes/legacy.js';
import { sha256 as hashSha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** 32 hex digits. */
export const md5 = (text: string): string => bytesToHex(hashMd5(text));

/** 64 hex digits. */
export const sha256 = (text: string): string => bytesToHex(hashSha256(text));

/** A fingerprint's text and its MD5 in hex. */
export const hashed = (text: string) => ({ hash: md5(text), text });
