/**
 * Files mapped into memory: only pages in use are resident, and all threads and processes share them. Relies on mmap(2) of Linux through
 * `node:ffi` (checked with Node 26.10). Without it, files are read instead, which takes more memory.
 */
import { open } from 'node:fs/promises';
import { loadFunctions } from './ffi.ts';

const protectRead = 1;
const mapShared = 1;
/** The result of mmap(2) for a failure: -1. */
const mapFailed = 2n ** 64n - 1n;

const calls = await loadFunctions({
  mmap: { arguments: ['pointer', 'u64', 'i32', 'i32', 'i32', 'i64'], return: 'pointer' },
});

/** Whether this Node and system have the function. */
export const canMapFiles = calls !== null;

/** Mappings by device, inode, size and mtime. They are never unmapped, because a reader may still use them. */
const mappings = new Map<string, Buffer>();

/**
 * Maps a file; null if this Node or system cannot. Throws if the file cannot be opened. Whoever truncates a mapped file in place ends
 * this process (SIGBUS), so only the files of a package may be mapped, which package managers replace by others.
 */
export async function mapFile(path: string): Promise<Buffer | null> {
  if (calls === null) return null;
  await using file = await open(path);
  const { dev, ino, size, mtimeMs } = await file.stat();
  const key = [dev, ino, size, mtimeMs].join();
  const known = mappings.get(key);
  if (known !== undefined || size === 0) return known ?? null;
  const address = calls.mmap(0n, BigInt(size), protectRead, mapShared, file.fd, 0n);
  if (address === mapFailed || address === 0n) return null;
  const mapping = Buffer.from(calls.toArrayBuffer(address, size, false));
  mappings.set(key, mapping);
  return mapping;
}
