/** Lookup commands: several items, the standard input, short output, and what a terminal permits for a grade. */
import assert from 'node:assert/strict';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { generate } from 'selfsigned';
import { runWith } from './run-with.ts';

const listenOn = async (context: TestContext, server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  return (server.address() as AddressInfo).port;
};

const serve = (context: TestContext, respond: (request: IncomingMessage, response: ServerResponse) => void) =>
  listenOn(context, createHttpServer(respond));

test('parses several User-Agents, and those of the standard input', async () => {
  const { outcome, out } = await runWith(
    ['ua', 'curl/8', '-', '--short'],
    {},
    { input: 'Wget/1.21\n\n Go-http-client/2.0 \n' },
  );
  assert.deepEqual(outcome, { exitCode: 0 });
  assert.equal(out, 'curl · cli\nWget · cli\nGo-http-client · http-library\n');
});

test('prints one result as an object and several as an array with --json', async () => {
  const one = JSON.parse((await runWith(['ua', 'curl/8', '--json'])).out);
  assert.equal(one.kind, 'cli');
  const both = JSON.parse((await runWith(['ua', 'curl/8', 'Wget/1', '--json'])).out);
  assert.deepEqual(
    both.map(({ bot }: { bot: { name: string } }) => bot.name),
    ['curl', 'Wget'],
  );
});

test('goes on after an item that fails, names it, and exits with 1', async () => {
  const { outcome, out, err } = await runWith(
    ['grade', '-', '--allow-private', '--short'],
    {},
    { input: 'http://127.0.0.1:1/\nftp://a.example/\n' },
  );
  assert.deepEqual([outcome, out], [{ exitCode: 1 }, '']);
  assert.match(err, /^seenby: http:\/\/127\.0\.0\.1:1\/: .+\nseenby: grade ftp:\/\/a\.example\/: .+\n$/);
});

test('grades a local site on any port only with --allow-private', async (context) => {
  const port = await serve(context, (_, response) => response.end());
  const url = `http://127.0.0.1:${port}/`;
  const refused = await runWith(['grade', url]);
  assert.deepEqual(refused.outcome, { exitCode: 1 });
  assert.match(refused.err, /private or reserved/);
  const { outcome, out } = await runWith(['grade', url, '--allow-private', '--short']);
  assert.deepEqual(outcome, { exitCode: 0 });
  assert.match(out, /^[A-F][+-]?\n$/);
  const junit = await runWith(['grade', url, '--allow-private', '--format', 'junit', '--fail-below', 'A']);
  assert.deepEqual(junit.outcome, { exitCode: 1 });
  assert.match(junit.out, /^<\?xml .+\n<testsuites>\n/);
});

test('sends --header to the first origin only, and not again after a redirect to another', async (context) => {
  const received: (readonly [string, string | undefined])[] = [];
  const note = (name: string, { headers }: IncomingMessage) => received.push([name, headers.authorization]);
  let first = 0;
  const other = await serve(context, (request, response) => {
    note('other', request);
    response.writeHead(302, { Location: `http://127.0.0.1:${first}/back` }).end();
  });
  first = await serve(context, (request, response) => {
    note(`first ${request.url}`, request);
    const location = { '/': '/next', '/next': `http://127.0.0.1:${other}/` }[request.url ?? ''];
    response.writeHead(location === undefined ? 200 : 302, location === undefined ? {} : { Location: location }).end();
  });
  const { outcome } = await runWith([
    'grade',
    `http://127.0.0.1:${first}/`,
    '--allow-private',
    '--header',
    'Authorization: Bearer a:b',
  ]);
  assert.deepEqual(outcome, { exitCode: 0 });
  assert.deepEqual(received, [
    ['first /', 'Bearer a:b'],
    ['first /next', 'Bearer a:b'],
    ['other', undefined],
    ['first /back', undefined],
  ]);
});

test('accepts an untrusted certificate only with -k', async (context) => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
  const port = await listenOn(
    context,
    createHttpsServer({ key, cert }, (_, response) => response.end()),
  );
  const url = `https://localhost:${port}/`;
  const refused = await runWith(['grade', url, '--allow-private']);
  assert.deepEqual(refused.outcome, { exitCode: 1 });
  assert.match(refused.err, /certificate/);
  assert.deepEqual((await runWith(['grade', url, '--allow-private', '-k'])).outcome, { exitCode: 0 });
});

test('names the flag whose value is wrong', async () => {
  const wrong: readonly (readonly [args: readonly string[], line: RegExp])[] = [
    [
      ['whois', 'example.com', '--expires-within', 'soon'],
      /^seenby: --expires-within: must be a number of days, not "soon"$/m,
    ],
    [['grade', 'a.example', '--format', 'xml'], /^seenby: --format: must be junit, not "xml"$/m],
    [['grade', 'a.example', '--header', 'Secret value'], /^seenby: --header: must be 'Name: value' in one line$/m],
    [['grade', 'a.example', '--header', 'A: b\r\nC: d'], /^seenby: --header: must be 'Name: value' in one line$/m],
    [['completions', 'tcsh'], /^seenby: completions tcsh: must be bash, zsh or fish$/m],
    [['grad', 'a.example'], /^seenby: unknown command "grad"; did you mean "grade"\?$/m],
    [['--prot', '80'], /did you mean --port\?$/m],
  ];
  for (const [args, line] of wrong) {
    const { outcome, err } = await runWith(args);
    assert.deepEqual(outcome, { exitCode: 2 }, args.join(' '));
    assert.match(err, line);
  }
});
