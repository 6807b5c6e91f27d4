/** The same fingerprints by other programs: read-tls-client-hello for TLS, the frames that nghttpd prints for HTTP/2. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { calculateJa3, calculateJa4, getExtensionData, isGREASE, readTlsClientHello } from 'read-tls-client-hello';
import { findFreePort } from '../free-port.ts';
import { until } from '../until.ts';

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** `bytes` are the first bytes of a connection, records included. */
export async function tlsFingerprintsOf(bytes: Buffer) {
  const stream = new PassThrough();
  stream.write(bytes);
  const hello = await readTlsClientHello(stream);
  const list = (values: readonly number[]): string => values.filter((value) => !isGREASE(value)).join('-');
  const sorted = hello.extensions.map(({ id }) => id).sort((a, b) => a - b);
  const { groups = [] } = getExtensionData(hello, 10) ?? {};
  const { formats = [] } = getExtensionData(hello, 11) ?? {};
  const ja3nText = [hello.version, list(hello.cipherSuites), list(sorted), list(groups), formats.join('-')].join();
  return { ja3: calculateJa3(hello), ja3n: md5(ja3nText), ja4: calculateJa4(hello) };
}

/** Returns the Akamai text of the connection over which `request` requests the path. */
export async function akamaiTextOf(
  pem: { readonly key: string; readonly cert: string },
  request: (url: string) => Promise<unknown>,
) {
  const folder = mkdtempSync(join(tmpdir(), 'seenby-nghttpd-'));
  const fileOf = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const port = await findFreePort();
  const args = ['-v', '-d', folder, `${port}`, fileOf('key.pem', pem.key), fileOf('cert.pem', pem.cert)];
  const child = spawn('nghttpd', args);
  const exited = once(child, 'exit');
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => {
    log += chunk;
  });
  try {
    await until(() => log.includes('listen'));
    await request(`https://localhost:${port}/fingerprint`);
    await until(() => /recv HEADERS frame/.test(log));
  } finally {
    child.kill();
    await exited;
    rmSync(folder, { recursive: true });
  }
  return akamaiTextOfLog(log);
}

function akamaiTextOfLog(log: string): string {
  const [, id] = /\[(id=\d+)\] .* :path: \/fingerprint\n/.exec(log) ?? [];
  // A frame's details are indented under its line.
  const frames = log.split(/\n(?=\[)/).filter((frame) => frame.startsWith(`[${id}]`));
  const received = (pattern: RegExp): string[] => frames.filter((frame) => pattern.test(frame));
  const [settings = ''] = received(/recv SETTINGS/);
  const [windowUpdate = ''] = received(/recv WINDOW_UPDATE/);
  const headers = frames.findIndex((frame) => frame.includes('recv HEADERS'));
  const priorities = frames.slice(0, headers).flatMap((frame) => {
    const [, stream] = /recv PRIORITY frame <.*stream_id=(\d+)>/.exec(frame) ?? [];
    const [, dependsOn, weight, exclusive] = /dep_stream_id=(\d+), weight=(\d+), exclusive=(\d)/.exec(frame) ?? [];
    return stream === undefined ? [] : [`${stream}:${exclusive}:${dependsOn}:${weight}`];
  });
  const pseudo = frames.slice(0, headers).flatMap((frame) => /recv \(stream_id=\d+\) :(\w)/.exec(frame)?.[1] ?? []);
  return [
    [...settings.matchAll(/\(0x(\w+)\):(\d+)/g)]
      .map(([, hex = '', value]) => `${Number.parseInt(hex, 16)}:${value}`)
      .join(';'),
    /increment=(\d+)/.exec(windowUpdate)?.[1] ?? '00',
    priorities.join(',') || '0',
    pseudo.join(','),
  ].join('|');
}
