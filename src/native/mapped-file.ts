/** Database files of our own, mapped into memory: only pages in use are resident, and all threads and processes share them (Linux). */
import { open } from 'node:fs/promises';

const protectRead = 1;
const mapShared = 1;
/** The result of mmap(2) for a failure: -1. */
const mapFailed = 2n ** 64n - 1n;

type Mmap = (...args: (number | bigint)[]) => bigint;

/** By identity and version: a reload of the same file does not map it again, because nothing may unmap what a reader still uses. */
const mappings = new Map<string, Buffer>();

/**
 * Maps a file; null if this Node or system cannot. Throws if the file cannot be opened. Whoever truncates a mapped file in place ends
 * this process (SIGBUS), so only files may be mapped that are replaced as a whole: those of a package, and those this program renames.
 */
export async function mapFile(path: string): Promise<Buffer | null> {
  const mmap = await loadMmap();
  if (mmap === null) return null;
  await using file = await open(path);
  const { dev, ino, size, mtimeMs } = await file.stat();
  const key = [dev, ino, size, mtimeMs].join();
  let mapping = mappings.get(key);
  if (mapping === undefined) {
    const address = size === 0 ? mapFailed : mmap.call(0n, BigInt(size), protectRead, mapShared, file.fd, 0n);
    if (address === mapFailed || address === 0n) return null;
    mapping = Buffer.from(mmap.toArrayBuffer(address, size, false));
    mappings.set(key, mapping);
  }
  return mapping;
}

async function loadMmap() {
  if (process.platform !== 'linux') return null;
  try {
    const { dlopen, toArrayBuffer } = await import('node:ffi');
    const { functions } = dlopen(null, {
      mmap: { arguments: ['pointer', 'u64', 'i32', 'i32', 'i32', 'i64'], return: 'pointer' },
    });
    return { call: functions.mmap as unknown as Mmap, toArrayBuffer };
  } catch {
    // A Node without ffi, or without the permission for it: the file is read.
    return null;
  }
}
