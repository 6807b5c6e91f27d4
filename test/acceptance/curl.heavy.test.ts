/** The acceptance suite against the Node edge, with curl. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { curlClient } from './client.ts';
import { acceptanceOfNode } from './node-edge.ts';

const curlVersions = supportedByCurl();

if (curlVersions.length > 0)
  acceptanceOfNode(
    'Node edge, with curl',
    (http, https) => [curlClient(http, '1.1'), ...curlVersions.map((version) => curlClient(https, version))],
    { sideBySide: true },
  );

test('finds curl, with HTTP/2', (context) => {
  const missing = curlVersions.length === 0 ? 'curl' : curlVersions.includes('2') ? null : 'curl with HTTP/2';
  if (missing === null) return;
  assert.ok(!process.env.CI, `${missing} is not on this machine`);
  context.skip(`${missing} is not on this machine`);
});

/** TLS protocols of the curl on this machine. */
function supportedByCurl(): ('1.1' | '2')[] {
  try {
    const version = execFileSync('curl', ['--version'], { encoding: 'utf8' });
    return /^Features:.*\bHTTP2\b/m.test(version) ? ['1.1', '2'] : ['1.1'];
  } catch {
    return [];
  }
}
