/** Each state in which a real server rejects the service: one line in the log that states what to change, and no request that fails. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, type TestContext, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { RateStoreAddress } from '../../../../src/core/setting-values.ts';
import { describeFailure } from '../../../../src/edges/node/store/failures.ts';
import { findFreePort } from '../../../free-port.ts';
import { type Authority, createAuthority } from '../../../internet/certificates.ts';
import { until } from '../../../until.ts';
import { connectedLine, lostLine, startInstance } from '../limits/shared-instance.ts';
import { type RedisServer, skipWithoutRedis, startDocumentedRedis, startRedis } from './redis-server.ts';

const tcp = (redis: RedisServer, port: number, host = '127.0.0.1'): RateStoreAddress => ({
  ...redis.address,
  target: { host, port },
});

/** Asserts that the log has exactly this line, and that requests are allowed. */
async function assertRejected(t: TestContext, address: RateStoreAddress, reason: string | RegExp): Promise<void> {
  const { lines, limit, waitForLine } = await startInstance(t, address);
  await waitForLine('not available');
  const line = lines.find((each) => each.includes('not available')) ?? '';
  if (typeof reason === 'string') assert.equal(line, lostLine(reason));
  else assert.match(line, reason);
  assert.doesNotMatch(lines.join('\n'), /right-password|wrong-password/);
  assert.equal(limit('192.0.2.1'), true);
  assert.ok(lines.length <= 2, lines.join('\n'));
}

const noCluster = 'the store is a node of a cluster, which is not supported; use a server without cluster mode';
const primary = 'RATE_LIMIT_STORE names a replica; name the primary';

interface State {
  readonly options?: readonly string[];
  /** Brings the server into the state. */
  readonly prepare?: (redis: RedisServer, t: TestContext) => unknown;
  readonly address?: Partial<RateStoreAddress>;
  readonly reason: string;
}

const states: Readonly<Record<string, State>> = {
  'a wrong password': {
    options: ['--requirepass', 'right-password'],
    address: { user: 'default', password: 'wrong-password' },
    reason: 'WRONGPASS; correct user and password in RATE_LIMIT_STORE',
  },
  'no password': {
    options: ['--requirepass', 'right-password'],
    reason: 'NOAUTH; add user and password to RATE_LIMIT_STORE',
  },
  'a password that the store does not have': {
    address: { password: 'wrong-password' },
    reason: 'ERR; remove the password from RATE_LIMIT_STORE, or set one in the store',
  },
  'a database that the store does not have': {
    address: { database: 99 },
    reason: 'ERR; correct the number of the database in RATE_LIMIT_STORE',
  },
  'a user that may not count': {
    options: ['--user', 'seenby', 'on', '>right-password', '~seenby:*', '-@all', '+auth', '+select'],
    address: { user: 'seenby', password: 'right-password' },
    reason: 'NOPERM; give the user in RATE_LIMIT_STORE the permissions of the documentation',
  },
  'a command that is turned off': {
    options: ['--rename-command', 'EVALSHA', ''],
    reason:
      'ERR; the server lacks a command; RATE_LIMIT_STORE needs Redis 6 or later, or Valkey, not a Sentinel, with all commands of the documentation',
  },
  'no memory': {
    options: ['--maxmemory', '1', '--maxmemory-policy', 'noeviction'],
    reason: 'OOM; the store is full; set maxmemory-policy volatile-ttl, or raise its maxmemory',
  },
  'a replica': { options: ['--replicaof', '127.0.0.1', '1'], reason: `READONLY; ${primary}` },
  'a replica that has lost its primary': {
    options: ['--replicaof', '127.0.0.1', '1', '--replica-serve-stale-data', 'no'],
    reason: `MASTERDOWN; ${primary}`,
  },
  'too few replicas': {
    options: ['--min-replicas-to-write', '1'],
    reason: 'NOREPLICAS; the store has too few replicas; set min-replicas-to-write 0',
  },
  'snapshots that fail': {
    options: ['--save', '3600 1'],
    async prepare(redis) {
      // A file cannot replace it.
      mkdirSync(join(redis.folder, 'dump.rdb'));
      await redis.command('SET', 'key', 'value');
      await redis.command('BGSAVE');
      await until(async () => /rdb_last_bgsave_status:err/.test(await redis.command('INFO', 'persistence')));
    },
    reason: 'MISCONF; the store cannot write its data to disk; set save "" and appendonly no',
  },
  'data that is being read': {
    options: [
      '--enable-debug-command',
      'yes',
      '--key-load-delay',
      '100000',
      '--loading-process-events-interval-bytes',
      '1024',
    ],
    async prepare(redis) {
      await redis.command('DEBUG', 'POPULATE', '5000');
      await redis.command('SAVE');
      await redis.kill();
      await redis.start();
    },
    reason: 'LOADING; the store reads its data from disk; set save "" and appendonly no, so that it starts empty',
  },
  'a script of another program': {
    options: ['--lua-time-limit', '1'],
    async prepare(redis, t) {
      const other = connect(redis.path);
      t.after(() => other.destroy());
      other.write('EVAL "while true do end" 0\r\n');
      await until(async () => /BUSY/.test(await redis.command('PING')));
    },
    reason: 'BUSY; a script of another program runs in the store; use a store that no other program uses',
  },
  'a node of a cluster without slots': { options: ['cluster'], reason: `CLUSTERDOWN; ${noCluster}` },
  'a node that has all slots of a cluster': {
    options: ['cluster'],
    async prepare(redis) {
      await redis.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
      await until(async () => /cluster_state:ok/.test(await redis.command('CLUSTER', 'INFO')));
    },
    reason: `CROSSSLOT; ${noCluster}`,
  },
  'a database of a cluster': {
    options: ['cluster'],
    address: { database: 1 },
    reason: `ERR; ${noCluster}`,
  },
};

/** The options of a node of a cluster, which needs a port and one for other nodes. */
async function clusterOptions(): Promise<readonly string[]> {
  const port = await findFreePort();
  const busPort = await findFreePort();
  return ['--port', `${port}`, '--bind', '127.0.0.1', '--cluster-enabled', 'yes', '--cluster-port', `${busPort}`];
}

describe('the log states what to change in a store with', { skip: skipWithoutRedis }, () => {
  for (const [name, { options = [], prepare, address, reason }] of Object.entries(states))
    test(name, async (t) => {
      const redis = await startRedis(t, options[0] === 'cluster' ? await clusterOptions() : options);
      await prepare?.(redis, t);
      await assertRejected(t, { ...redis.address, ...address }, reason);
    });
});

/** An address of this machine that other machines could use. */
const ownAddress = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

describe('a store on another machine', {
  skip: skipWithoutRedis || (ownAddress === undefined && 'needs an address that is not of loopback'),
}, () => {
  const host = ownAddress ?? '';

  test('is in protected mode without a password', async (t) => {
    const port = await findFreePort(host);
    const redis = await startRedis(t, ['--port', `${port}`, '--bind', host]);
    await assertRejected(
      t,
      tcp(redis, port, host),
      'DENIED; the store is in protected mode; add the user of the documentation and "user default off" to its configuration',
    );
  });

  test('works with the configuration of the documentation', async (t) => {
    const port = await findFreePort(host);
    const redis = await startDocumentedRedis(t, port, host);
    const address = { ...tcp(redis, port, host), user: 'seenby', password: 'PASSWORD', database: 1 };
    const { limit, lines, isConnected } = await startInstance(t, address);
    assert.equal(await limit('2001:db8::1', ['lookup', 'general']), true);
    assert.deepEqual(lines, [connectedLine]);
    assert.ok(isConnected());
    await assertRejected(t, tcp(redis, port, host), 'NOAUTH; add user and password to RATE_LIMIT_STORE');
  });
});

test('the log states what to change in a store with too many connections', { skip: skipWithoutRedis }, async (t) => {
  const port = await findFreePort();
  const redis = await startRedis(t, ['--port', `${port}`, '--bind', '127.0.0.1', '--maxclients', '1']);
  const other = connect(redis.path);
  t.after(() => other.destroy());
  other.write('PING\r\n');
  await once(other, 'data');
  // A connection may be closed before its reply is read.
  await assertRejected(t, tcp(redis, port), /; the store (?:has too many connections|closes the connection)/);
});

describe('a store with TLS', { skip: skipWithoutRedis }, () => {
  let authority: Authority;
  const known = getCACertificates('default');
  before(async () => {
    authority = await createAuthority();
  });

  async function startWithTls(t: TestContext, flaw?: Parameters<Authority['sign']>[1], clients = 'no') {
    const folder = mkdtempSync(join(tmpdir(), 'seenby-store-tls-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const { cert, key } = await authority.sign(['localhost'], flaw);
    const fileOf = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const port = await findFreePort();
    const files = ['--tls-cert-file', fileOf('cert', cert), '--tls-key-file', fileOf('key', key)];
    const ca = ['--tls-ca-cert-file', fileOf('ca', authority.certificate), '--tls-auth-clients', clients];
    const redis = await startRedis(t, ['--tls-port', `${port}`, '--bind', '127.0.0.1', ...files, ...ca]);
    return { ...tcp(redis, port, 'localhost'), isTls: true };
  }

  /** As `NODE_EXTRA_CA_CERTS` does at the start of a process. */
  function trustAuthority(t: TestContext): void {
    setDefaultCACertificates([...known, authority.certificate]);
    t.after(() => setDefaultCACertificates(known));
  }

  test('connects if its certificate is valid', async (t) => {
    trustAuthority(t);
    const { lines, limit } = await startInstance(t, await startWithTls(t));
    assert.equal(await limit('192.0.2.1'), true);
    assert.deepEqual(lines, [connectedLine]);
  });

  const trust = 'set NODE_EXTRA_CA_CERTS to a file with the CA that issued the certificate of the store';
  for (const [flaw, isTrusted, reason] of [
    [undefined, false, `SELF_SIGNED_CERT_IN_CHAIN; ${trust}`],
    ['self-signed', true, `DEPTH_ZERO_SELF_SIGNED_CERT; ${trust}`],
    ['expired', true, 'CERT_HAS_EXPIRED; renew the certificate of the store'],
    [
      'other-name',
      true,
      'ERR_TLS_CERT_ALTNAME_INVALID; RATE_LIMIT_STORE needs a host that the certificate of the store names',
    ],
  ] as const)
    test(`states what to change: ${flaw ?? 'unknown CA'}`, async (t) => {
      if (isTrusted) trustAuthority(t);
      await assertRejected(t, await startWithTls(t, flaw), reason);
    });

  test('states what to change if it requires a certificate of its clients', async (t) => {
    trustAuthority(t);
    await assertRejected(
      t,
      await startWithTls(t, undefined, 'yes'),
      // Which one depends on when the alert of TLS arrives.
      /; the store (?:requires a certificate of its clients|closes the connection)/,
    );
  });

  test('states what to change if only the store has TLS', async (t) => {
    await assertRejected(t, { ...(await startWithTls(t)), isTls: false }, /; the store closes the connection; check /);
  });

  test('states what to change if the port has no TLS', async (t) => {
    const port = await findFreePort();
    const redis = await startRedis(t, ['--port', `${port}`, '--bind', '127.0.0.1']);
    await assertRejected(
      t,
      { ...tcp(redis, port), isTls: true },
      /; the store may have no TLS on this port; use its tls-port/,
    );
  });
});

test('a Sentinel is no store', { skip: skipWithoutRedis }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-sentinel-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const port = await findFreePort();
  const file = join(folder, 'sentinel.conf');
  writeFileSync(file, `port ${port}\nbind 127.0.0.1\ndir ${folder}\n`);
  const sentinel = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
  t.after(async () => {
    const ended = once(sentinel, 'exit');
    sentinel.kill('SIGKILL');
    await ended;
  });
  const address = { target: { host: '127.0.0.1', port }, isTls: false, user: null, password: null, database: 0 };
  await until(async () => {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => null,
    );
    socket.destroy();
    return isOpen;
  });
  await assertRejected(t, address, /\(ERR; the server lacks a command; .*not a Sentinel/);
});

test('replies of other versions, and of a node that lacks the slot, are known', () => {
  const advised = (text: string): string => describeFailure(new Error(text));
  // Redis 6 replies so to a script.
  const ofScript = (text: string): string =>
    advised(`ERR Error running script (call to f_1): @user_script:9: @user_script: 9: -${text}`);
  assert.equal(ofScript("READONLY You can't write against a read only replica."), `READONLY; ${primary}`);
  assert.match(ofScript("OOM command not allowed when used memory > 'maxmemory'."), /^OOM; the store is full/);
  assert.equal(advised('MOVED 866 192.0.2.7:6379'), `MOVED; ${noCluster}`);
  assert.equal(advised('secret-password'), 'unexpected reply');
});
