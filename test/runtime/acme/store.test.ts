/** Keys and certificates on disk: one folder for each authority, private, each file replaced in one step. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { openStore } from '../../../src/runtime/acme/store.ts';

const root = mkdtempSync(join(tmpdir(), 'seenby-store-'));
after(() => rm(root, { recursive: true }));

const directory = 'https://ca.example/acme/dir?x=../..';
const certificate = { key: 'KEY\n', cert: '-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----\n' };

test('creates private folders and files, and keeps the account key', async () => {
  const dataDir = join(root, 'new', 'data');
  const store = await openStore(dataDir, directory);
  assert.equal(await store.readCertificate(), null);
  await store.writeCertificate(certificate);
  await store.writeCertificate(certificate);
  assert.deepEqual(await store.readCertificate(), certificate);
  assert.equal((await openStore(dataDir, directory)).accountKey, store.accountKey);
  const folder = join(dataDir, 'acme', 'ca.example_acme_dir_x_.._..');
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  assert.deepEqual(readdirSync(folder).sort(), ['account.pem', 'certificate.pem']);
  assert.deepEqual([join(dataDir, 'acme'), folder].map(modeOf), ['700', '700']);
  assert.deepEqual(
    ['account.pem', 'certificate.pem'].map((file) => modeOf(join(folder, file))),
    ['600', '600'],
  );
});

test('replaces the unfinished file of a process that was killed', async () => {
  const store = await openStore(root, directory);
  writeFileSync(`${store.certificateFile}.new`, 'unfinished', { mode: 0o644 });
  await store.writeCertificate(certificate);
  assert.equal(statSync(store.certificateFile).mode & 0o777, 0o600);
  assert.equal(readFileSync(store.certificateFile, 'utf8'), certificate.key + certificate.cert);
});

test('uses another account and certificate for another directory', async () => {
  const stores = [await openStore(root, 'https://one.example/dir'), await openStore(root, 'https://two.example/dir')];
  assert.notEqual(stores[0]?.certificateFile, stores[1]?.certificateFile);
  assert.notEqual(stores[0]?.accountKey, stores[1]?.accountKey);
});

test('names the folder that cannot be used, and an account key that is damaged', async () => {
  const file = join(root, 'file');
  writeFileSync(file, '');
  await assert.rejects(openStore(file, directory), {
    message: `DATA_DIR: cannot store keys and certificates in "${join(file, 'acme', 'ca.example_acme_dir_x_.._..')}" (ENOTDIR); use a writable folder`,
  });
  const dataDir = join(root, 'damaged');
  const folder = join(dataDir, 'acme', 'ca.example_dir');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'account.pem'), 'x');
  await assert.rejects(openStore(dataDir, 'https://ca.example/dir'), {
    message: `DATA_DIR: "${join(folder, 'account.pem')}" is not a private key; delete it to create another account`,
  });
});

test('names a folder that cannot be written, unless it has a certificate', {
  skip: process.platform === 'win32' && 'needs file modes',
}, async () => {
  const dataDir = join(root, 'fixed');
  const { certificateFile, writeCertificate } = await openStore(dataDir, 'https://ca.example/dir');
  const folder = dirname(certificateFile);
  const program = `
    import { openStore } from '${new URL('../../../src/runtime/acme/store.ts', import.meta.url)}';
    await openStore(process.argv[1], 'https://ca.example/dir').catch(({ message }) => console.log(message));`;
  const command = [process.execPath, '--input-type=module', '--eval', program, dataDir];
  // Modes do not apply to root, unless it has no capability to override them.
  const prefix = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : [];
  const [file = '', ...args] = [...prefix, ...command];
  const openInFixedFolder = (): string => {
    chmodSync(folder, 0o500);
    const { stdout } = spawnSync(file, args, { encoding: 'utf8' });
    chmodSync(folder, 0o700);
    return stdout;
  };
  const problem = `DATA_DIR: cannot store keys and certificates in "${folder}" (EACCES); use a writable folder\n`;
  assert.equal(openInFixedFolder(), problem);
  await writeCertificate(certificate);
  assert.equal(openInFixedFolder(), '');
});
