/** The operator's files below /.well-known/: what is read, what is refused, and what a service sends. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readWellKnownFiles } from '../../src/runtime/well-known-files.ts';
import { startNode } from '../node-service.ts';

function createFolder(context: TestContext, files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-well-known-'));
  context.after(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

test('a service sends the files as text, and its own documents besides', async (context) => {
  const texts = { 'mcp-registry-auth': 'v=MCPv1; k=ed25519; p=AAAA', 'security.txt': 'Contact: mailto:a@b.example\n' };
  const service = await startNode({ wellKnownDir: createFolder(context, texts) });
  try {
    for (const [name, text] of Object.entries(texts)) {
      const response = await fetch(`${service.http}/.well-known/${name}`);
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
      assert.equal(await response.text(), text);
    }
    assert.equal((await fetch(`${service.http}/.well-known/api-catalog`)).status, 200);
    assert.equal((await fetch(`${service.http}/.well-known/other`)).status, 404);
    assert.equal((await fetch(`${service.http}/.well-known/security.txt`, { method: 'POST' })).status, 405);
  } finally {
    await service.close();
  }
});

test('reads nothing without a folder, and up to 16 files', (context) => {
  assert.deepEqual(readWellKnownFiles(null), {});
  const names = Array.from({ length: 16 }, (_, at) => `file-${at}.txt`);
  const files = Object.fromEntries(names.map((name) => [name, 'x'.repeat(4096)]));
  assert.deepEqual(readWellKnownFiles(createFolder(context, files)), files);
});

test('passes over what begins with a dot, as in a volume of Kubernetes', (context) => {
  const folder = createFolder(context, { '.DS_Store': Uint8Array.of(0xff) });
  mkdirSync(join(folder, '..2026_11'));
  writeFileSync(join(folder, '..2026_11', 'security.txt'), 'Contact: mailto:a@b.example\n');
  symlinkSync('..2026_11', join(folder, '..data'));
  symlinkSync(join('..data', 'security.txt'), join(folder, 'security.txt'));
  assert.deepEqual(readWellKnownFiles(folder), { 'security.txt': 'Contact: mailto:a@b.example\n' });
});

test('names the file that cannot be served, and what to change', (context) => {
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`${at}`, '']));
  const nested = createFolder(context, {});
  mkdirSync(join(nested, 'folder'));
  for (const [folder, problem] of [
    [createFolder(context, many), /has 17 files; at most 16 are served$/],
    [createFolder(context, { a: 'x'.repeat(4097) }), /a" has 4097 bytes; at most 4096 are served$/],
    [createFolder(context, { a: Uint8Array.of(0xff) }), /a" is not UTF-8 text$/],
    [createFolder(context, { 'a b': '' }), /a b": use a name of letters, digits, dots and hyphens$/],
    [
      createFolder(context, { 'ai-catalog.json': '{}' }),
      /"ai-catalog\.json" is a document of this service; use another name$/,
    ],
    [nested, /folder" is not a file; only files are served$/],
    [join(nested, 'missing'), /cannot read ".*missing" \(ENOENT\); use a folder of readable files$/],
  ] as const)
    assert.throws(() => readWellKnownFiles(folder), { message: new RegExp(`^WELL_KNOWN_DIR: .*${problem.source}`) });
});
