/** The examples in /docs run as they stand, and print the client's address and country. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { createApp } from '../../../../src/http/app.ts';
import { examples, programOf } from '../../../../src/http/page/documents/examples.ts';
import { seenAll } from '../../../observed.ts';
import { platformOf } from '../../../platform.ts';
import { noBody } from '../../../request-context.ts';
import { pageAt } from '../page-at.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'seenby-examples-'));

const app = createApp({ publicUrl: null, contact: null });
const server = createServer(async ({ url: path = '' }, response) => {
  const { status, headers, body } = await app({ ...seenAll, path, headers: {} }, platformOf(), noBody);
  response.writeHead(status, { ...headers }).end(body);
});
let base: string;
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** The command for the example in a file, and its arguments before the path. */
const commands: Readonly<Record<string, readonly [name: string, ...args: string[]]>> = {
  'curl.sh': ['sh'],
  'fetch.mjs': [process.execPath],
  'python.py': ['python3'],
  'go.go': ['go', 'run'],
};

const isInstalled = (name: string): boolean =>
  [name, ...(process.env.PATH ?? '').split(delimiter).map((each) => join(each, name))].some((path) => existsSync(path));

for (const { title, file, isUntested } of examples) {
  const [name = '', ...args] = commands[file] ?? [];
  // CI has no Go and may have no Python; whoever changes these examples runs them.
  const skip = isUntested
    ? 'only with its program, which was never run here, as the page says'
    : isInstalled(name)
      ? false
      : `only with the command ${name}`;
  test(`prints address and country: ${title}`, { skip }, async () => {
    const path = join(folder, file);
    writeFileSync(path, programOf(file, base));
    const { stdout } = await run(name, [...args, path]);
    assert.equal(stdout.replaceAll('\r', ''), '2001:db8::1\nNO\n');
  });
}

test('a page requests a country once per visit', async () => {
  const stored = new Map<string, string>();
  let requests = 0;
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  };
  const counted = (url: string) => {
    requests += 1;
    return fetch(url);
  };
  for (let visit = 0; visit < 2; visit++) {
    const script = `export default async (sessionStorage, fetch) => { ${programOf('page.mjs', base)}\nreturn country; }`;
    const { default: show } = await import(`data:text/javascript,${encodeURIComponent(script)}#${visit}`);
    assert.equal(await show(storage, counted), 'NO');
  }
  assert.equal(requests, 1);
});

test('the page shows every example, and marks those that were not run', () => {
  const page = pageAt('/docs').replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&gt;', '>');
  for (const { file } of examples) assert.ok(page.includes(programOf(file, seenAll.origin).replaceAll('&', '&amp;')));
  assert.equal(page.match(/; not run\./g)?.length, examples.filter(({ isUntested }) => isUntested).length);
});
