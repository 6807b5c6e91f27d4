/** Account key and certificates of one certificate authority, in files below DATA_DIR. */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Certificate } from '../certificate.ts';
import { createFolder } from '../data-folder.ts';

export interface AcmeStore {
  /** PEM. */
  readonly accountKey: string;
  /** File of the certificate, which has its key and its chain. */
  readonly certificateFile: string;
  /** Null if there is none. Throws if it cannot be read. */
  readCertificate(): Promise<Certificate | null>;
  writeCertificate(certificate: Certificate): Promise<void>;
}

/** Creates the folder and the account key if they are missing; throws an Error that names the setting. */
export async function openStore(dataDir: string, directoryUrl: string): Promise<AcmeStore> {
  const folder = join(dataDir, 'acme', nameFolder(directoryUrl));
  const accountFile = join(folder, 'account.pem');
  const certificateFile = join(folder, 'certificate.pem');
  let accountKey: string;
  try {
    await createFolder(dataDir);
    for (const each of [join(dataDir, 'acme'), folder]) await createPrivateFolder(each);
    accountKey = (await readText(accountFile)) ?? (await createAccountKey(accountFile));
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw new Error(`DATA_DIR: cannot store keys and certificates in "${folder}" (${reason}); use a writable folder`);
  }
  if (!isPrivateKey(accountKey))
    throw new Error(`DATA_DIR: "${accountFile}" is not a private key; delete it to create another account`);
  return {
    accountKey,
    certificateFile,
    async readCertificate() {
      const text = await readText(certificateFile);
      return text === null ? null : splitPem(text);
    },
    // The key and its chain in one file, so that both are replaced at the same moment.
    writeCertificate: ({ key, cert }) => writePrivateFile(certificateFile, `${key.trimEnd()}\n${cert}`),
  };
}

/** One folder for each directory: a certificate of a test environment must not be used after a switch to another one. */
function nameFolder(directoryUrl: string): string {
  return directoryUrl.replace(/^https:\/\//i, '').replaceAll(/[^a-z\d.-]+/gi, '_');
}

async function createPrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

async function readText(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

async function createAccountKey(file: string): Promise<string> {
  const key = createKey();
  await writePrivateFile(file, key);
  return key;
}

/** Returns a new EC P-256 key, PEM. */
export function createKey(): string {
  const encoding = { type: 'pkcs8', format: 'pem' } as const;
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: encoding,
  });
  return privateKey;
}

/** Replaces the whole file in one step, so that a killed process or a full disk leaves the previous one. */
async function writePrivateFile(file: string, text: string): Promise<void> {
  const partial = `${file}.new`;
  await rm(partial, { force: true });
  const handle = await open(partial, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, file);
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'ec';
  } catch {
    return false;
  }
}

function splitPem(text: string): Certificate {
  const at = text.indexOf('-----BEGIN CERTIFICATE-----');
  return { key: text.slice(0, Math.max(at, 0)), cert: text.slice(Math.max(at, 0)) };
}
