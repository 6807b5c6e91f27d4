/** Lookup commands: several items, the standard input, short output, and what only a terminal permits. */
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, type TestContext, test } from 'node:test';
import { generate } from 'selfsigned';
import { createApp } from '../../src/http/app.ts';
import { writeMmdb } from '../mmdb.ts';
import { seenAll } from '../observed.ts';
import { platformOf } from '../platform.ts';
import { noBody } from '../request-context.ts';
import { runWith } from './run-with.ts';

const folder = mkdtempSync(join(tmpdir(), 'seenby-lookups-'));
after(() => rm(folder, { recursive: true }));
const asnFile = join(folder, 'asn.mmdb');
writeFileSync(asnFile, writeMmdb({ databaseType: 'ASN', ipVersion: 4, networks: {} }));
/** No conversion of a database, and no resolver that responds. */
const offline = { DATA_DIR: folder, GEOIP_ASN: asnFile, DOH_URL: 'http://127.0.0.1:1' };

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
  assert.equal(
    out,
    'curl/8\tcurl 8 · a command-line tool\nWget/1.21\tWget 1.21 · a command-line tool\nGo-http-client/2.0\tGo-http-client 2.0 · an HTTP library\n',
  );
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

test('prints an array for the argument -, however many lines there are', async () => {
  for (const [input, count] of [
    ['', 0],
    ['curl/8\n', 1],
    ['curl/8\nWget/1\n', 2],
  ] as const) {
    const { outcome, out } = await runWith(['ua', '-', '--json'], {}, { input });
    assert.deepEqual([outcome, JSON.parse(out).length], [{ exitCode: 0 }, count]);
  }
  assert.equal(
    (await runWith(['ua', '-', '--short'], {}, { input: 'curl/8\n' })).out,
    'curl/8\tcurl 8 · a command-line tool\n',
  );
});

test('goes on after an item that fails, names it in every form, and exits with 1', async (context) => {
  const port = await serve(context, (_, response) => response.end());
  const urls = ['http://127.0.0.1:1/', `http://127.0.0.1:${port}/`, 'ftp://a.example/'];
  // A line of the standard input may be wrong; a wrong argument ends the command before the first lookup.
  const run = (...flags: readonly string[]) =>
    runWith(['grade', '-', '--allow-private', ...flags], {}, { input: urls.join('\n') });
  const short = await run('--short');
  assert.deepEqual(short.outcome, { exitCode: 1 });
  const [refused = '', graded = '', wrong = '', end] = short.out.split('\n');
  assert.deepEqual([refused, wrong, end], [`${urls[0]}\t`, `${urls[2]}\t`, '']);
  assert.match(graded, /^http:\/\/127\.0\.0\.1:\d+\/\t[A-F][+-]?$/);
  assert.match(short.err, /^seenby: http:\/\/127\.0\.0\.1:1\/: .+\nseenby: grade ftp:\/\/a\.example\/: .+\n$/);
  const json = JSON.parse((await run('--json')).out);
  assert.deepEqual(
    json.map(({ query, error }: Record<string, unknown>) => [query, error]),
    [
      [urls[0], 'target_unreachable'],
      [undefined, undefined],
      [urls[2], 'invalid_url'],
    ],
  );
  const { outcome, out } = await run('--format', 'junit');
  assert.deepEqual(outcome, { exitCode: 1 });
  assert.deepEqual(
    [out.match(/<testsuite /g)?.length, out.match(/<error /g)?.length, out.includes('<failure')],
    [3, 2, false],
  );
});

test('prints a JUnit document for a single site that is unreachable', async () => {
  const { outcome, out, err } = await runWith(['grade', 'http://127.0.0.1:1/', '--allow-private', '--format', 'junit']);
  assert.deepEqual(outcome, { exitCode: 1 });
  assert.match(out, /<testsuites>\n.*errors="1".*\n.*<error message=/);
  assert.match(err, /^seenby: [^\n]+\n$/);
});

test('names the reason for a failure as the last line on standard error', async (context) => {
  const port = await serve(context, (_, response) => response.end());
  const url = `http://127.0.0.1:${port}/`;
  for (const form of [[], ['--short'], ['--json'], ['--format', 'junit']]) {
    const { outcome, out, err } = await runWith(['grade', url, '--allow-private', '--fail-below', 'b', ...form]);
    assert.deepEqual(outcome, { exitCode: 1 });
    assert.match(err, new RegExp(`^seenby: ${url}: [C-F][+-]? is below B\n$`));
    if (form[0] === '--format') assert.match(out, /failures="1"(?:.|\n)*<failure message="[C-F][+-]? is below B">/);
  }
  const lenient = ['grade', url, '--allow-private', '--fail-below', 'F', '--format', 'junit'];
  const { outcome, out, err } = await runWith(lenient);
  assert.deepEqual([outcome, err, out.includes('<failure')], [{ exitCode: 0 }, '', false]);
});

test('fails if no part of a domain report has a result, and states why in its output', async (context) => {
  let status = 0;
  const port = await serve(context, async (request, response) => {
    const message = await buffer(request);
    // A response without records, with this status.
    message.writeUInt16BE(0x8180 + status, 2);
    response.setHeader('Content-Type', 'application/dns-message');
    response.end(message);
  });
  const environment = { ...offline, DOH_URL: `http://127.0.0.1:${port}/dns-query` };
  // Nothing requests a site with such a name, or its registration.
  const run = (...words: readonly string[]) => runWith(['domain', ...words], environment);
  assert.deepEqual((await run('a.localhost')).outcome, { exitCode: 0 });
  status = 2;
  const failed = await run('a.localhost');
  assert.deepEqual(failed.outcome, { exitCode: 1 });
  assert.match(failed.out, /^DNS +DNS not known/m);
  assert.equal(failed.err, 'seenby: a.localhost: no part of the report has a result\n');
  assert.deepEqual((await run('a.localhost', '--json')).outcome, { exitCode: 1 });
});

test('rejects --expires-within for what has no expiry date', async () => {
  for (const query of ['8.8.8.8', '2001:db8::/32', 'AS15169']) {
    const { outcome, err } = await runWith(['whois', 'example.com', query, '--expires-within', '30']);
    assert.deepEqual(outcome, { exitCode: 2 });
    assert.equal(err, `seenby: --expires-within: ${query} has no expiry date; send domain names only\n`);
  }
});

test('names the flag that permits a private address', async () => {
  const { outcome, err } = await runWith(['grade', 'http://10.0.0.1/']);
  assert.deepEqual(outcome, { exitCode: 1 });
  assert.match(err, /private or reserved.*, or permit it with --allow-private\.\n$/);
});

test('reports the reason of a refused connection on a host with two addresses', async () => {
  const server = createHttpServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  await new Promise((resolve) => server.close(resolve));
  const { outcome, err } = await runWith(['me', url]);
  assert.deepEqual(outcome, { exitCode: 1 });
  assert.match(err, /^seenby: no response from http:\/\/localhost:\d+: [^;]*ECONNREFUSED[^;]*; start the service/);
});

test('requests a service over one IP version, with -4 or -6', async (context) => {
  const server = createHttpServer(({ socket }, response) => response.end(JSON.stringify({ ip: socket.remoteAddress })));
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '::', ipv6Only: false }, resolve));
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const addressOf = async (...args: readonly string[]) => (await runWith(['me', '--short', ...args])).out.trim();
  assert.equal(await addressOf('-4', `http://localhost:${port}`), '::ffff:127.0.0.1');
  assert.equal(await addressOf('-6', `http://[::1]:${port}`), '::1');
  const { outcome, err } = await runWith(['me', '-6', `http://127.0.0.1:${port}`]);
  assert.deepEqual(outcome, { exitCode: 1 });
  assert.equal(err, 'seenby: 127.0.0.1 has no IPv6 address; omit -6\n');
  const both = await runWith(['port', '443', '-4', '-6']);
  assert.deepEqual(both.outcome, { exitCode: 2 });
  assert.match(both.err, /--ipv4 and --ipv6: only one IP version is possible/);
});

test('names the reason if the response of a service is cut', async (context) => {
  const port = await serve(context, (_, response) => {
    response.writeHead(200, { 'Content-Length': 100 }).write('{"ip"', () => response.destroy());
  });
  const { outcome, err } = await runWith(['me', `http://127.0.0.1:${port}`]);
  assert.deepEqual(outcome, { exitCode: 1 });
  assert.match(err, /^seenby: the response of http:\/\/127\.0\.0\.1:\d+\/json is incomplete: [^;]+; try again\n$/);
});

test('shows what a service with any certificate observes, with -k', async (context) => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
  const server = createHttpsServer({ key, cert }, (_, response) => response.end('{"ip":"127.0.0.1"}'));
  const url = `https://localhost:${await listenOn(context, server)}`;
  assert.deepEqual((await runWith(['me', url])).outcome, { exitCode: 1 });
  assert.equal((await runWith(['me', url, '-k', '--short'])).out, '127.0.0.1\n');
});

test('looks up the address that a service observes, if none is given', async (context) => {
  let ip: string | null = '81.2.69.142';
  const port = await serve(context, (_, response) => response.end(JSON.stringify({ ip })));
  const url = `http://127.0.0.1:${port}`;
  const environment = { ...offline, PUBLIC_URL: url };
  for (const args of [['ip'], ['ip', url]]) {
    const { outcome, out, err } = await runWith([...args, '--json'], environment);
    assert.deepEqual([outcome, err], [{ exitCode: 0 }, '']);
    assert.deepEqual([JSON.parse(out).ip, JSON.parse(out).country], [ip, 'GB']);
  }
  for (ip of ['127.0.0.1', null]) {
    const { outcome, err } = await runWith(['ip'], environment);
    assert.deepEqual(outcome, { exitCode: 1 });
    assert.match(err, /^seenby: the service does not know your public address; add the URL/);
  }
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

test('grades the service at PUBLIC_URL', async (context) => {
  const PUBLIC_URL = 'https://seenby.example';
  const app = createApp({ publicUrl: PUBLIC_URL, contact: null });
  const port = await serve(context, async ({ headers }, response) => {
    const own = { 'user-agent': headers['user-agent'] ?? '' };
    const { status, ownHeaders } = await app({ ...seenAll, path: '/ip', headers: own }, platformOf(), noBody);
    response.writeHead(status, { ...ownHeaders }).end();
  });
  const { outcome, err } = await runWith(['grade', `http://127.0.0.1:${port}/`, '--allow-private'], { PUBLIC_URL });
  assert.deepEqual([outcome, err], [{ exitCode: 0 }, '']);
});

test('sends every value of a name that --header repeats', async (context) => {
  let received: IncomingMessage['headers'] = {};
  const port = await serve(context, ({ headers }, response) => {
    received = headers;
    response.end();
  });
  const repeated = ['Cookie: a=1', 'cookie: b=2', 'X-List: 1', 'X-List: 2'].flatMap((line) => ['--header', line]);
  await runWith(['grade', `http://127.0.0.1:${port}/`, '--allow-private', ...repeated]);
  assert.deepEqual([received.cookie, received['x-list']], ['a=1; b=2', '1, 2']);
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

test('shows the state of each port, one line for each, and fails if one is not open', async (context) => {
  const states: Readonly<Record<string, string>> = { 80: 'open', 81: 'closed', 82: 'filtered' };
  const port = await serve(context, ({ url = '' }, response) => {
    const checked = new URL(url, 'http://localhost').searchParams.get('port') ?? '';
    const state = states[checked];
    response.statusCode = state === undefined ? 404 : 200;
    const error = { error: 'not_enabled', message: 'This deployment does not offer this.' };
    response.end(JSON.stringify(state ? { ip: '203.0.113.7', port: Number(checked), state, elapsedMs: 12 } : error));
  });
  const service = `http://127.0.0.1:${port}`;
  const all = await runWith(['port', '80', '81', '82', service]);
  assert.deepEqual([all.outcome, all.err], [{ exitCode: 1 }, '']);
  assert.equal(
    all.out,
    '80     open      203.0.113.7, 12 ms\n81     closed    203.0.113.7, 12 ms\n82     filtered  203.0.113.7, 12 ms\n',
  );
  const open = await runWith(['port', '80', '--short'], { PUBLIC_URL: service });
  assert.deepEqual([open.outcome, open.out], [{ exitCode: 0 }, 'open\n']);
  const short = await runWith(['port', '-', '--short', service], {}, { input: '80\n81\n' });
  assert.deepEqual([short.outcome, short.out], [{ exitCode: 1 }, '80\topen\n81\tclosed\n']);
  const failed = await runWith(['port', '80', '9', service]);
  assert.deepEqual(
    [failed.outcome, failed.err],
    [{ exitCode: 1 }, 'seenby: 9: This deployment does not offer this.\n'],
  );
  const json = await runWith(['port', '80', service, '--json']);
  assert.deepEqual(JSON.parse(json.out), { ip: '203.0.113.7', port: 80, state: 'open', elapsedMs: 12 });
});

test('rejects an empty argument where none selects the own service', async () => {
  for (const args of [
    ['ip', ''],
    ['ip', '8.8.8.8', ''],
    ['me', ''],
    ['port', '443', ''],
    ['port', ''],
  ]) {
    const { outcome, out, err } = await runWith(args, { PUBLIC_URL: 'http://127.0.0.1:9' });
    assert.deepEqual([outcome, out], [{ exitCode: 2 }, ''], args.join(' '));
    assert.match(err, /^seenby: \w+: an argument is empty; /);
  }
});

test('rejects ports that are not numbers, and a line without a port', async () => {
  for (const args of [['http'], ['80', 'https://a.example', 'https://b.example'], ['https://a.example']]) {
    const { outcome, err } = await runWith(['port', ...args]);
    assert.deepEqual(outcome, { exitCode: 2 }, args.join(' '));
    assert.match(err, /^seenby: port \S+: send ports as numbers/);
  }
});

test('cert checks a host that only this machine reaches, and fails with the reason', async (context) => {
  const altNames = [{ type: 7, ip: '127.0.0.1' }] as const;
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'here' }], {
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [...altNames] }],
  });
  const target = `127.0.0.1:${await listenOn(context, createHttpsServer({ key, cert }))}`;
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, cert);
  const permitted = ['cert', target, '--allow-private', '--short'];

  const trusted = await runWith([...permitted, '--ca', ca], offline);
  assert.deepEqual([trusted.outcome, trusted.err], [{ exitCode: 0 }, '']);
  assert.match(trusted.out, /^valid until \d+ \w+ \d{4}, by here\n$/);
  const untrusted = await runWith(permitted, offline);
  assert.deepEqual(untrusted.outcome, { exitCode: 1 });
  assert.equal(untrusted.err, `seenby: ${target}: The certificate is self-signed\n`);
  const soon = await runWith([...permitted, '--ca', ca, '--expires-within', '9999d'], offline);
  assert.deepEqual(soon.outcome, { exitCode: 1 });
  assert.match(soon.err, /^seenby: \S+: expires in \d+ days, within 9999\n$/);
  const xml = await runWith(['cert', target, '--allow-private', '--format', 'junit'], offline);
  assert.match(xml.out, /<testsuite name="127\.0\.0\.1:\d+" tests="9" failures="1" errors="0"/);
  const blocked = await runWith(['cert', target], offline);
  assert.deepEqual(blocked.outcome, { exitCode: 1 });
  assert.match(blocked.err, /use a public one, or permit it with --allow-private\.$/m);
  const missing = await runWith(['cert', target, '--ca', join(folder, 'none.pem')], offline);
  assert.deepEqual(missing.outcome, { exitCode: 2 });
  assert.match(missing.err, /^seenby: --ca: cannot read \S+none\.pem: /);
});
