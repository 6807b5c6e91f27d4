/** Database files in memory that all threads share. */
import { loadFile, type NamedFiles } from '../../edges/node/geoip/geoip.ts';
import { mapFile } from '../../native/mapped-file.ts';

const allocateShared = (bytes: number): Uint8Array => Buffer.from(new SharedArrayBuffer(bytes));

/**
 * Returns the files with their contents, read once; throws an Error that names the setting. Files that each thread can map remain files, because
 * the system shares them.
 */
export async function shareDatabase(named: NamedFiles): Promise<NamedFiles> {
  const { files, bytes: given, areOwn } = named;
  if (areOwn && files[0] !== undefined && (await mapFile(files[0])) !== null) return named;
  const bytes = await Promise.all(
    given?.map(copyToShared) ?? files.map((file) => loadFile(file, named, allocateShared)),
  );
  return { ...named, bytes };
}

function copyToShared(bytes: Uint8Array): Uint8Array {
  const shared = allocateShared(bytes.length);
  shared.set(bytes);
  return shared;
}
