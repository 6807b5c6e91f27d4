/** Debian's Firefox, which its remote protocol allows to accept the test's certificate. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const preferences: Readonly<Record<string, unknown>> = {
  'marionette.port': 0,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'browser.safebrowsing.downloads.remote.enabled': false,
};

const startTimeoutMs = 30_000;

/** Resolves with what `document.documentElement.textContent` is after each URL; `prepare` may change the new profile. */
export async function loadInFirefox(
  urls: readonly string[],
  changed: Readonly<Record<string, unknown>> = {},
  prepare: (profile: string) => void = () => {},
): Promise<readonly string[]> {
  await using firefox = await openFirefox(changed, prepare);
  const texts: string[] = [];
  for (const url of urls) {
    await firefox.load(url);
    texts.push((await firefox.run('return document.documentElement.textContent')) as string);
  }
  return texts;
}

/** `run` executes the body of a function in the page, which may return a promise, and resolves with its result. */
export async function openFirefox(
  changed: Readonly<Record<string, unknown>> = {},
  prepare: (profile: string) => void = () => {},
) {
  const profile = mkdtempSync(join(tmpdir(), 'seenby-firefox-'));
  const lines = Object.entries({ ...preferences, ...changed }).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  writeFileSync(join(profile, 'user.js'), lines.join(''));
  prepare(profile);
  const child = spawn('firefox-esr', ['--headless', '--marionette', '--no-remote', '--profile', profile], {
    stdio: 'ignore',
    env: { ...process.env, HOME: profile, XDG_CACHE_HOME: profile, MOZ_CRASHREPORTER_DISABLE: '1' },
  });
  const exited = once(child, 'exit');
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
    rmSync(profile, { recursive: true, maxRetries: 5 });
  };
  try {
    const send = await connectMarionette(await portOf(profile));
    await send('WebDriver:NewSession', { acceptInsecureCerts: true });
    return {
      load: (url: string): Promise<unknown> => send('WebDriver:Navigate', { url }),
      async run(script: string): Promise<unknown> {
        const { value } = (await send('WebDriver:ExecuteScript', { script, args: [] })) as { value: unknown };
        return value;
      },
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function portOf(profile: string): Promise<number> {
  const file = join(profile, 'MarionetteActivePort');
  for (let waitedMs = 0; waitedMs < startTimeoutMs; waitedMs += 50) {
    if (existsSync(file)) {
      const port = Number(readFileSync(file, 'utf8'));
      if (port > 0) return port;
    }
    await delay(50);
  }
  throw new Error('Firefox did not open its remote protocol');
}

/** Messages are `length:[type, id, command, parameters]`, results `length:[1, id, error, value]`. */
async function connectMarionette(port: number) {
  const socket = connect(port, '127.0.0.1');
  const waiting = new Map<number, (message: readonly [1, number, unknown, unknown]) => void>();
  let received = Buffer.alloc(0);
  let lastId = 0;
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const colon = received.indexOf(':');
      const end = colon + 1 + Number(received.toString('latin1', 0, colon));
      if (colon < 0 || received.length < end) return;
      const message = JSON.parse(received.toString('utf8', colon + 1, end));
      received = received.subarray(end);
      if (Array.isArray(message)) waiting.get(message[1])?.(message as [1, number, unknown, unknown]);
    }
  });
  await once(socket, 'connect');
  return async (command: string, parameters: object): Promise<unknown> => {
    lastId += 1;
    const text = JSON.stringify([0, lastId, command, parameters]);
    const reply = new Promise<readonly [1, number, unknown, unknown]>((resolve) => waiting.set(lastId, resolve));
    socket.write(`${Buffer.byteLength(text)}:${text}`);
    const [, , error, value] = await reply;
    if (error !== null) throw new Error(JSON.stringify(error));
    return value;
  };
}
