/** The MCP Inspector against the server: its strict check of all schemas, and one call of each tool. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { tools } from '../../src/mcp/tools.ts';
import { type Served, serveTools } from '../mcp/served.ts';

const inspector = fileURLToPath(new URL('../../node_modules/.bin/mcp-inspector', import.meta.url));

let served: Served;
before(async () => {
  served = await serveTools(tools);
});
after(() => served.close());

function inspect(...args: string[]): Promise<{ code: unknown; output: string }> {
  const command = [inspector, '--cli', served.url, '--transport', 'http', ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, { timeout: 500_000 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });
}

test('its strict check finds no errors in the schemas', async () => {
  const { code, output } = await inspect('--method', 'tools/list', '--strict');
  assert.equal(code, 0, output);
  assert.match(output, /\b0 errors\b/);
  for (const { name } of tools) assert.ok(output.includes(`"name": "${name}"`));
});

// Without a resolver or bootstrap file, a lookup is an error of the tool (exit code 5), with a message.
const calls = [
  ['whoami', { include_headers: true }, 0, /This describes the machine/],
  ['check_headers', { headers: { 'User-Agent': 'curl/8.16.0' } }, 0, /Hints, not proofs/],
  ['parse_ua', { user_agent: 'curl/8.16.0' }, 0, /"kind": ?"cli"/],
  ['dns_lookup', { name: 'example.com', type: 'MX' }, 5, /resolver/],
  ['rdap_lookup', { query: 'example.com' }, 5, /RDAP/],
] as const;

for (const [name, input, exitCode, expected] of calls) {
  test(`it calls ${name}`, async () => {
    const args = ['--tool-name', name, '--tool-args-json', JSON.stringify(input), '--format', 'json'];
    const { code, output } = await inspect('--method', 'tools/call', ...args);
    assert.equal(code, exitCode, output);
    assert.match(output, expected);
  });
}
