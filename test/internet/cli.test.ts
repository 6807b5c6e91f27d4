/** The command line in the simulated internet: lookups, their exit codes, and a running service as seen by `me`. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { skipWithoutInternet } from './internet.ts';
import { serveForSuite, serveIn } from './service.ts';

interface CommandRun {
  readonly out: string;
  readonly err: string;
  readonly exitCode: number;
}

const here = (path: string): string => new URL(path, import.meta.url).href;

/** Runs one command after another, each with the arguments in a message. */
const commandsProgram = `
  import { runWith } from '${here('../cli/run-with.ts')}';
  process.on('message', async (args) => {
    try {
      const { outcome, out, err } = await runWith(args, process.env);
      process.send({ out, err, exitCode: outcome.exitCode });
    } catch (error) {
      process.send({ out: '', err: error.stack, exitCode: -1 });
    }
  });
`;

describe('the command line in the simulated internet', { skip: skipWithoutInternet() }, () => {
  const simulated = serveForSuite(serveIn);

  const env = { PATH: process.env.PATH, DATA_DIR: 'test-output/internet-data' };
  /** In a process of its own, as a user does. */
  const runProgram = async (...args: readonly string[]): Promise<CommandRun> => {
    const program = `import { run } from '${here('../../src/cli/run.ts')}'; await run(process.argv.slice(1));`;
    const child = simulated.internet.spawn(process.execPath, ['--input-type=module', '-e', program, '--', ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { stdout, stderr } = child;
    assert.ok(stdout !== null && stderr !== null);
    const [out, err, [exitCode]] = await Promise.all([text(stdout), text(stderr), once(child, 'close')]);
    return { out, err, exitCode };
  };

  let commands: ChildProcess;
  before(() => {
    commands = simulated.internet.spawn(process.execPath, ['--input-type=module', '-e', commandsProgram], {
      env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  });
  after(() => commands?.kill());
  /** The same command without the start of a process, which takes longer than the command. */
  const run = async (...args: readonly string[]): Promise<CommandRun> => {
    commands.send(args);
    const [result] = await once(commands, 'message');
    return result;
  };
  const runJson = async (...args: readonly string[]) => {
    const { out, err, exitCode } = await run(...args, '--json');
    assert.deepEqual([exitCode, err], [0, '']);
    return JSON.parse(out);
  };

  test('grade prints the grade, and exits with 1 only if it is below --fail-below', async () => {
    const bare = await runProgram('grade', 'https://bare.test/');
    assert.deepEqual([bare.exitCode, bare.err], [0, '']);
    assert.match(bare.out, /^D {2}\d+ of 100 {2}https:\/\/bare\.test\/ \(200\)\n/);
    for (const [host, failBelow, exitCode] of [
      ['bare.test', 'D', 0],
      ['bare.test', 'c', 1],
      ['bare.test', 'A+', 1],
      ['well-kept.test', 'A+', 0],
    ] as const) {
      const found = await runProgram('grade', `https://${host}/`, '--fail-below', failBelow);
      const reason = exitCode === 0 ? '' : `seenby: https://${host}/: D is below ${failBelow.toUpperCase()}\n`;
      assert.deepEqual([found.exitCode, found.err], [exitCode, reason], `${host} ${failBelow}`);
      assert.match(found.out, /^[A-F][+-]? {2}\d+ of 100 /);
    }
    assert.equal((await runJson('grade', 'https://well-kept.test/')).grade.grade, 'A+');
  });

  test('grade connects to no private address', async () => {
    for (const url of ['https://private.test/', 'http://127.0.0.1/']) {
      const { out, err, exitCode } = await run('grade', url);
      assert.deepEqual([out, exitCode], ['', 1]);
      assert.match(err, /^seenby: .*private or reserved/);
    }
    assert.deepEqual(await simulated.internet.decoyHits(), []);
  });

  test('dns prints each record in one line to a program', async () => {
    const { out } = await run('dns', 'https', 'example.com');
    assert.match(out, /^example\.com {2}300 {2}HTTPS {2}1 \. alpn=h3,h2 ipv4hint=\S+ ipv6hint=\S+\n; NOERROR, .*\n$/);
  });

  test('whois returns the registration data of a domain, an IP address and an AS number', async () => {
    assert.match((await run('whois', 'example.com')).out, /example\.com/i);
    for (const [q, kind] of [
      ['example.com', 'domain'],
      ['8.8.8.8', 'ip'],
      ['AS15169', 'autnum'],
    ] as const)
      assert.equal((await runJson('whois', q)).kind, kind);
  });

  test('dns returns the records of a name, of one or several types', async () => {
    assert.match((await run('dns', 'example.com')).out, /93\.184\.216\.34/);
    const only = await runJson('dns', 'example.com', 'mx');
    assert.deepEqual([only.type, only.status], ['MX', 'NOERROR']);
    const both = await runJson('dns', 'example.com', 'A', 'AAAA');
    assert.deepEqual(
      both.map(({ type }: { type: string }) => type),
      ['A', 'AAAA'],
    );
    assert.equal((await runJson('dns', 'missing.example.com')).status, 'NXDOMAIN');
  });

  test('dns takes the habits of dig, and an IP address', async () => {
    for (const args of [
      ['mx', 'example.com'],
      ['example.com', 'mx', '+short'],
      ['MX', 'example.com', '--short'],
    ])
      assert.match((await run('dns', ...args)).out, /10 mail\.example\.com/);
    assert.equal((await run('dns', 'example.com', 'ns,mx', '+short')).out.split('\n').length, 3);
    assert.equal((await run('dns', '25.1.0.9', '+short')).out, 'client.example.com\n');
  });

  test('dns --short prints nothing for no records, and a sentence for a failure', async () => {
    for (const args of [['missing.example.com'], ['no-address.example.com', 'AAAA']]) {
      const { out, err, exitCode } = await run('dns', ...args, '--short');
      assert.deepEqual([out, err, exitCode], ['', '', 0], args.join(' '));
    }
    const { out, err, exitCode } = await run('dns', 'bogus.com', '--short');
    assert.deepEqual([out, exitCode], ['', 1]);
    assert.match(err, /^seenby: bogus\.com fails DNSSEC validation \(SERVFAIL\)[^\n]+\n$/);
    // The other outputs contain the sentence.
    for (const flags of [[], ['--json']]) {
      const other = await run('dns', 'bogus.com', ...flags);
      assert.equal(other.exitCode, 1);
      assert.match(other.out, /bogus\.com fails DNSSEC validation/);
    }
    const several = await run('dns', 'example.com', 'bogus.com', 'MX', '--short');
    assert.deepEqual(
      [several.out, several.exitCode],
      ['example.com MX\t10 mail.example.com\t20 backup.example.com\nbogus.com MX\t\n', 1],
    );
  });

  test('ip returns location, ASN and confirmed host name', async () => {
    const { asn, country, hostname } = await runJson('ip', '8.8.8.8');
    assert.deepEqual([asn, country, hostname], [15169, 'US', null]);
    assert.equal((await runJson('ip', '25.1.0.9')).hostname, 'client.example.com');
  });

  test('an argument without a command is looked up as what it is', async () => {
    assert.match((await run('8.8.8.8')).out, /^IP address {4}8\.8\.8\.8\n/);
    assert.match((await run('AS15169')).out, /^AS number {5}AS15169\n/);
    assert.match((await run('https://bare.test/')).out, /^D {2}\d+ of 100 {2}https:\/\/bare\.test\/ /);
    assert.match((await run('example.com', 'MX')).out, /MX {2}10 mail\.example\.com/);
  });

  test('a domain without a command has a line for each part of its report, with a result or the reason for none', async () => {
    const { out, err, exitCode } = await run('example.com');
    assert.deepEqual([err, exitCode], ['', 0]);
    assert.match(
      out,
      /^Domain {12}example\.com\nRegistration {6}\w.*\nDNS {15}\w.*\nSecurity headers {2}.*\nAddress {11}.*93\.184\.216\.34\nCertificate {7}.*\n\n/,
    );
    const report = await runJson('example.com');
    assert.deepEqual(Object.keys(report), ['name', 'registration', 'dns', 'headers', 'address', 'certificate']);
    assert.equal(report.registration.summary.name, 'example.com');
  });

  test('me returns what a running service observes', async () => {
    const { ip, userAgent } = await runJson('me', simulated.service.url);
    assert.deepEqual([ip, userAgent.kind], ['203.0.114.10', 'http-library']);
    assert.match((await run('me', `${simulated.service.url}/`)).out, /^IP address {4}203\.0\.114\.10$/m);
  });
});
