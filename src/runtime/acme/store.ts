/** Account key and certificates of one CA, in files below DATA_DIR. */
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, constants, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../core/log.ts';
import { attempt, type Certificate } from '../certificate.ts';
import { createFolder, replaceFile } from '../data-folder.ts';
import { isUsable } from './in-use.ts';
import { validityOf } from './renewal.ts';

export type AcmeStore = Awaited<ReturnType<typeof openStore>>;

/** Creates the folder and the account key if they are missing; throws an Error that names the setting. */
export async function openStore(dataDir: string, directoryUrl: string) {
  // One folder for each directory: a certificate of a test environment must not be used after a switch to another one.
  const name = directoryUrl.replace(/^https:\/\//i, '').replaceAll(/[^a-z\d.-]+/gi, '_');
  const folder = join(dataDir, 'acme', name);
  const accountFile = join(folder, 'account.pem');
  const certificateFile = join(folder, 'certificate.pem');
  let accountKey: string | null;
  try {
    await createFolder(dataDir);
    await createFolder(folder, 0o700);
    // Nothing else is written before the certificate: each start would order another one.
    if (!existsSync(certificateFile)) await access(folder, constants.W_OK);
    accountKey = await readText(accountFile);
    if (accountKey === null) {
      accountKey = createKey();
      await writePrivateFile(accountFile, accountKey);
    }
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw new Error(`DATA_DIR: cannot store keys and certificates in "${folder}" (${reason}); use a writable folder`);
  }
  const pem = accountKey;
  const problem = `DATA_DIR: "${accountFile}" is not a private key; delete it to create another account`;
  const { asymmetricKeyType } = attempt(problem, () => createPrivateKey(pem));
  if (asymmetricKeyType !== 'ec') throw new Error(problem);
  return {
    /** PEM. */
    accountKey,
    writeAccountKey: (key: string): Promise<void> => writePrivateFile(accountFile, key),
    /** File of the certificate, which has its key and its chain. */
    certificateFile,
    /** Null if there is none. Throws if it cannot be read. */
    async readCertificate(): Promise<Certificate | null> {
      const text = await readText(certificateFile);
      if (text === null) return null;
      const at = Math.max(text.indexOf('-----BEGIN CERTIFICATE-----'), 0);
      return { key: text.slice(0, at), cert: text.slice(at) };
    },
    // The key and its chain in one file, so that both are replaced at the same moment.
    writeCertificate: ({ key, cert }: Certificate): Promise<void> =>
      writePrivateFile(certificateFile, `${key.trimEnd()}\n${cert}`),
  };
}

/** Returns the stored certificate if it is valid now; logs why it is not usable. */
export async function readStored(store: AcmeStore, log: Log): Promise<Certificate | null> {
  try {
    const stored = await store.readCertificate();
    if (stored === null) return null;
    if (!isUsable(stored, [])) throw new Error('damaged');
    const { fromMs, toMs } = validityOf(new X509Certificate(stored.cert));
    return fromMs <= Date.now() && Date.now() <= toMs ? stored : null;
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    const text = `ignoring the certificate in "${store.certificateFile}" (${reason}); ordering another one`;
    log('certificate_not_read', text, { reason });
    return null;
  }
}

/** Stores a certificate; logs why it cannot. */
export async function writeStored(certificate: Certificate, store: AcmeStore, log: Log): Promise<void> {
  await store.writeCertificate(certificate).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code ?? error.message;
    const text = `could not store the certificate in "${store.certificateFile}" (${reason}); each start orders another one`;
    log('certificate_not_stored', text, { reason });
  });
}

/** Returns a new EC P-256 key, PEM. */
export function createKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

async function readText(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

const writePrivateFile = (file: string, text: string): Promise<void> =>
  replaceFile(file, '.new', async (unfinished) => {
    // What a killed process left could have another mode.
    await rm(unfinished, { force: true });
    await writeFile(unfinished, text, { flag: 'wx', mode: 0o600, flush: true });
  });
