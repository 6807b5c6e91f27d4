/** Small files of the operator that prove who owns the service, served below /.well-known/ (RFC 8615). */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { variableOf } from '../core/settings.ts';
import { isReplaceable } from '../http/well-known.ts';

const maxFiles = 16;
const maxFileBytes = 4096;
const fileName = /^[\w.-]{1,64}$/;

/**
 * The texts of the files in a folder, by name, without those that begin with a dot; none if the folder is null. Throws an Error that names the setting and the file that cannot
 * be served: a name other than letters, digits, dots and hyphens, more than `maxFileBytes`, not UTF-8, or more than `maxFiles` of them.
 */
export function readWellKnownFiles(folder: string | null): Readonly<Record<string, string>> {
  if (folder === null) return {};
  const fail = (problem: string): never => {
    throw new Error(`${variableOf('wellKnownDir')}: ${problem}`);
  };
  const read = <Result>(name: string, readFile: () => Result): Result => {
    try {
      return readFile();
    } catch (error) {
      return fail(`cannot read "${name}" (${(error as NodeJS.ErrnoException).code}); use a folder of readable files`);
    }
  };
  // A name with a dot at its start is that of a system: a volume of Kubernetes has ..data, a Mac .DS_Store.
  const names = read(folder, () => readdirSync(folder).filter((name) => !name.startsWith('.'))).sort();
  if (names.length > maxFiles) fail(`"${folder}" has ${names.length} files; at most ${maxFiles} are served`);
  const files = names.map((name): [name: string, text: string] => {
    const path = join(folder, name);
    const status = read(path, () => statSync(path));
    if (!status.isFile()) fail(`"${path}" is not a file; only files are served`);
    if (!fileName.test(name)) fail(`"${path}": use a name of letters, digits, dots and hyphens`);
    if (!isReplaceable(name)) fail(`"${name}" is a document of this service; use another name`);
    if (status.size > maxFileBytes) fail(`"${path}" has ${status.size} bytes; at most ${maxFileBytes} are served`);
    return [name, decode(read(path, () => readFileSync(path))) ?? fail(`"${path}" is not UTF-8 text`)];
  });
  return Object.fromEntries(files);
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
