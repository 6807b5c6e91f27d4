/** Debian packages that the tests use, installed only after they were announced. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runChild } from './child.mjs';
import { startProgress } from './progress.mjs';
import { print } from './project.mjs';

/**
 * `file` shows that a package without a command is installed; `isForTest`: `npm test` uses it, not only `npm run test:all`.
 * @typedef {{ command: string, name: string, reason: string, file?: string, isForTest?: true }} SystemPackage
 */
/** @type {readonly SystemPackage[]} */
const systemPackages = [
  { command: 'curl', name: 'curl', reason: 'sends the requests of the acceptance tests' },
  { command: 'ip', name: 'iproute2', reason: 'builds the simulated internet' },
  { command: 'nft', name: 'nftables', reason: 'is the firewall of checked ports' },
  { command: 'dig', name: 'bind9-dnsutils', reason: 'reads DNS records to compare with' },
  { command: 'unbound', name: 'unbound', reason: 'resolves names in the simulated internet' },
  { command: 'nsd', name: 'nsd', reason: "delegates a zone to the service's DNS server" },
  { command: 'named', name: 'bind9', reason: 'resolves names of this zone' },
  { command: 'kresd', name: 'knot-resolver', reason: 'resolves them too' },
  { command: 'pdns_recursor', name: 'pdns-recursor', reason: 'resolves them too' },
  { command: 'dnsmasq', name: 'dnsmasq-base', reason: 'forwards queries for them' },
  { command: 'ldns-signzone', name: 'ldnsutils', reason: 'signs its DNS zones' },
  { command: 'haproxy', name: 'haproxy', reason: 'tests docs/deploy/haproxy.cfg and haproxy-tcp.cfg' },
  { command: 'nginx', name: 'nginx', reason: 'tests docs/deploy/nginx.conf', isForTest: true },
  { command: 'caddy', name: 'caddy', reason: 'tests docs/deploy/Caddyfile' },
  {
    command: 'chromium',
    name: 'chromium',
    reason: 'tests the web pages and has its fingerprint taken',
    isForTest: true,
  },
  { command: 'chromium-headless-shell', name: 'chromium-headless-shell', reason: 'tests the web pages in less time' },
  { command: 'certutil', name: 'libnss3-tools', reason: 'adds a certificate authority to Firefox' },
  { command: 'firefox-esr', name: 'firefox-esr', reason: 'has its fingerprint taken' },
  { command: 'nghttp', name: 'nghttp2-client', reason: 'has its fingerprint taken' },
  { command: 'nghttpd', name: 'nghttp2-server', reason: 'prints HTTP/2 frames to compare with' },
  { command: 'gtlsclient', name: 'ngtcp2-client', reason: 'requests pages over HTTP/3' },
  { command: 'turnutils_stunclient', name: 'coturn', reason: 'sends STUN requests' },
  { command: 'stun', name: 'stun-client', reason: 'sends classic STUN requests, which get no response' },
  {
    command: 'python3',
    name: 'python3-aioice',
    reason: 'sends STUN requests too',
    file: '/usr/lib/python3/dist-packages/aioice',
  },
  {
    command: 'python3',
    name: 'python3-spf',
    reason: 'evaluates SPF records to compare with',
    file: '/usr/lib/python3/dist-packages/spf.py',
  },
  { command: 'pebble', name: 'pebble', reason: 'issues the certificates of the ACME tests', isForTest: true },
  { command: 'redis-server', name: 'redis-server', reason: 'shares rate limits between instances' },
  { command: 'promtool', name: 'prometheus', reason: 'checks the alert rules and the metrics' },
  { command: 'ddclient', name: 'ddclient', reason: 'reads the responses in the shape of other services' },
  { command: 'inadyn', name: 'inadyn', reason: 'reads them too, over HTTP/1.0' },
  {
    command: 'python3',
    name: 'python3-requests',
    reason: 'reads the responses in the shape of httpbin',
    file: '/usr/lib/python3/dist-packages/requests',
  },
  {
    command: 'python3',
    name: 'python3-httpx',
    reason: 'reads them too',
    file: '/usr/lib/python3/dist-packages/httpx',
  },
  { command: 'lynx', name: 'lynx', reason: 'shows the web pages as text' },
  { command: 'w3m', name: 'w3m', reason: 'shows them too' },
  { command: 'zsh', name: 'zsh', reason: 'reads its completions' },
  { command: 'fish', name: 'fish', reason: 'reads its completions' },
  { command: 'openssl', name: 'openssl', reason: 'has its fingerprint taken' },
];

/** So long a person can prevent it; in CI nobody reads. */
const noticeMs = 5000;

/**
 * Installs what is missing as root on Debian, unless SEENBY_NO_APT=1; elsewhere prints what is missing.
 * @param {boolean} forAll for `npm run test:all`, not only for `npm test`
 */
export async function installSystemPackages(forAll) {
  const needed = systemPackages.filter(({ isForTest }) => forAll || isForTest);
  const missing = needed.filter(({ command, file }) => !(isOnPath(command) && existsSync(file ?? '/')));
  if (missing.length === 0) return;
  print(`Some tests need programs that are not installed:\n${missing.map(lineOf).join('\n')}`);
  const obstacle = obstacleToApt();
  if (obstacle !== null) {
    print(`Not installing them: ${obstacle}. The tests that need them are skipped or fail.`);
    return;
  }
  const count = `${missing.length} Debian package${missing.length === 1 ? '' : 's'}`;
  const isSeen = process.stderr.isTTY;
  print(
    `This user is root, so ${isSeen ? `in ${noticeMs / 1000} seconds ` : ''}apt-get installs ${count} and what they need. ` +
      'To prevent this, press Ctrl-C and set SEENBY_NO_APT=1: the tests that need them are then skipped.',
  );
  if (isSeen) await sleep(noticeMs);
  const done = startProgress(`Installing ${count}`);
  const names = missing.map(({ name }) => name);
  const updated = await runApt('update');
  const installed =
    updated === 'interrupted' ? updated : await withoutDaemons(() => install(names, updated === 'done'));
  done();
  if (installed === 'interrupted') process.exit(1);
}

/** @typedef {'done' | 'failed' | 'interrupted'} Outcome */

/**
 * All together, which is the quickest; if that fails, each alone, so that a package that this distribution lacks
 * leaves only its own tests without a program. Without a network (`isOnline`), each would fail after its own time limit.
 * @param {readonly string[]} names @param {boolean} isOnline
 */
async function install(names, isOnline) {
  const options = ['install', '-y', '--no-install-recommends'];
  let outcome = await runApt(...options, ...names);
  if (outcome !== 'failed' || names.length === 1 || !isOnline) return outcome;
  for (const name of names) {
    outcome = await runApt(...options, name);
    if (outcome === 'interrupted') break;
  }
  return outcome;
}

/**
 * Prints only errors. The tests that need what apt-get could not install report it.
 * @param {string[]} args
 * @returns {Promise<Outcome>}
 */
async function runApt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  /** @type {import('node:child_process').StdioOptions} */
  const stdio = ['ignore', 'ignore', 'inherit'];
  const { code, signal } = await runChild('apt-get', ['-qq', ...args], { stdio, env });
  if (signal !== null) return 'interrupted';
  if (code === 0) return 'done';
  print(`apt-get ${args[0]} failed with exit code ${code}; see its message above`);
  return 'failed';
}

/** @param {SystemPackage} systemPackage */
const lineOf = ({ command, name, reason }) => `  ${command.padEnd(14)} package ${name.padEnd(9)} ${reason}`;

/** @returns {string | null} */
function obstacleToApt() {
  if ((process.env.SEENBY_NO_APT ?? '') !== '') return 'SEENBY_NO_APT is set';
  if (!existsSync('/etc/debian_version')) return 'this system is not Debian';
  return process.getuid?.() === 0 ? null : 'this requires root';
}

/** Prevents packages from starting their daemons, unless the machine has its own policy. @param {() => Promise<Outcome>} installAll */
async function withoutDaemons(installAll) {
  // https://people.debian.org/~hmh/invokerc.d-policyrc.d-specification.txt: 101 is "forbidden".
  const policy = '/usr/sbin/policy-rc.d';
  const isOurs = !existsSync(policy);
  if (isOurs) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return await installAll();
  } finally {
    if (isOurs) rmSync(policy);
  }
}

/** @param {string} command */
function isOnPath(command) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)));
}
