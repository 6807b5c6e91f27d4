/** A wrong argument ends a command before its first lookup. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { runWith } from '../run-with.ts';

test('sends nothing for a command line with a wrong argument, wherever it stands', async (context) => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const environment = { PUBLIC_URL: url, DOH_URL: url, RDAP_BOOTSTRAP_URL: url };
  for (const [args, line] of [
    [['port', '80', '70000'], /^seenby: port 70000: port must be one number from 1 to 65535/],
    [['port', '0'], /^seenby: port 0: /],
    [['port', '80', 'ftp://a.example'], /^seenby: port ftp:\/\/a\.example: Send the URL of a running service/],
    [['ip', '8.8.8.8', '8.8.8'], /^seenby: ip 8\.8\.8: This is not an IP address/],
    [['ip', url, 'ftp://a.example'], /^seenby: ip ftp:\/\/a\.example: /],
    [['whois', 'example.com', 'a b'], /^seenby: whois a b: /],
    [['dns', 'example.com', 'a..b'], /^seenby: dns a\.\.b: /],
    [['dns', 'example.com', '192.0.2.0/24'], /^seenby: dns 192\.0\.2\.0\/24: .* use whois for its registration\.$/m],
    [['domain', 'example.com', '*.example.com'], /^seenby: domain \*\.example\.com: /],
    [['grade', url, 'ftp://a.example', '--allow-private'], /^seenby: grade ftp:\/\/a\.example: /],
    [['cert', 'example.com', 'example.com:0x1'], /^seenby: cert example\.com:0x1: /],
  ] as const) {
    const { outcome, out, err } = await runWith(args, environment);
    assert.deepEqual([outcome, out], [{ exitCode: 2 }, ''], args.join(' '));
    assert.match(err, line);
  }
  assert.equal(requests, 0);
});

test('advises on commas in lines of the standard input, and goes on', async () => {
  // Nothing listens there.
  const environment = { DOH_URL: 'http://127.0.0.1:1', RDAP_BOOTSTRAP_URL: 'http://127.0.0.1:1' };
  const input = 'a.example,b.example\na.example,b c\n8.8.8.8,1.1.1.1\n';
  for (const [command, advised] of [
    ['whois', ['a.example,b.example', '8.8.8.8,1.1.1.1']],
    ['grade', ['a.example,b.example', '8.8.8.8,1.1.1.1']],
    ['domain', ['a.example,b.example']],
  ] as const) {
    const { outcome, err } = await runWith([command, '-', '--short'], environment, { input });
    assert.deepEqual(outcome, { exitCode: 1 }, err);
    // The first command of all also states that it converts a database.
    const lines = err.split('\n').filter((line) => line.startsWith('seenby: '));
    assert.equal(lines.length, 3, err);
    const found = lines.filter((line) => line.endsWith(' Separate several arguments by line breaks, not by commas.'));
    assert.deepEqual(
      found.map((line) => line.split(': ')[1]),
      advised.map((item) => `${command} ${item}`),
      err,
    );
  }
});
