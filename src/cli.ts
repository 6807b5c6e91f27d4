/** The command line: arguments → settings → serve, or geo update. */
import { parseArgs } from 'node:util';
import { failureOf } from './core/failure.ts';
import { flagOf, readSettings, type Settings, settingNames, settings, variableOf } from './core/settings.ts';
import { bounds } from './edges/node/bounds.ts';
import { updateDatabase } from './edges/node/geoip-update.ts';
import type { Service } from './edges/node/serve.ts';
import type { App } from './http/app.ts';

/** The world of one run, passed in so that a test can be it. */
export interface World {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly err: { write(text: string): unknown };
}

/** What came of a run: an exit code, or a service that goes on. */
export type Outcome = { readonly exitCode: number } | { readonly service: Service };

export async function main(args: readonly string[], world: World): Promise<Outcome> {
  const fail = (problem: string): Outcome => {
    world.err.write(`seenby: ${problem}\n`);
    return { exitCode: 1 };
  };
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        ...Object.fromEntries(settingNames.map((name) => [flagOf(name), { type: 'string' as const }])),
      },
    });
    if (values.help) {
      world.out.write(help());
      return { exitCode: 0 };
    }
    const read = readSettings(values as Record<string, string | undefined>, world.environment);
    if ('problem' in read) return fail(read.problem);
    const command = positionals.join(' ');
    if (command === 'geo update') return await geoUpdate(read, world);
    if (command === 'dev') {
      const { simulated } = await import('./edges/simulated.ts');
      return { service: await serveAndSay(read, world, simulated) };
    }
    if (command !== '' && command !== 'serve') return fail(`there is no command "${command}"; --help lists them`);
    return { service: await serveAndSay(read, world) };
  } catch (error) {
    const { message, code = '' } = error as NodeJS.ErrnoException;
    // parseArgs goes on with advice that fits no command line of ours.
    return fail(
      code.startsWith('ERR_PARSE_ARGS') ? `${message.split(/[.\n]/)[0]}; --help lists the settings` : message,
    );
  }
}

export function help(): string {
  const rows = settingNames.map((name) => {
    const { value, sentence, default: fallback } = settings[name];
    const flag = `--${flagOf(name)} <${value}>`;
    return `  ${flag.padEnd(38)}${variableOf(name)}\n      ${sentence}${fallback === '' ? '' : ` Default: ${fallback}`}\n`;
  });
  return `Seenby tells a caller what the internet sees of its request.

  npm start                    serve
  npm start -- geo update      download the current city and network databases
  npm run dev                  serve with simulated network fields, again after each change of the source
  npm start -- --help          this

Settings, each a flag or the environment variable beside it:

${rows.join('')}`;
}

async function serveAndSay(read: Settings, { out }: World, before?: (app: App) => App): Promise<Service> {
  // Loaded here, and not for --help: it brings the databases, TLS and the application.
  const { serve } = await import('./edges/node/serve.ts');
  const service = await serve(read, bounds, (line) => out.write(`${line}\n`), before);
  const { http, https, metrics } = service;
  const addresses = [http, https, metrics].filter((address) => address !== null);
  const tries = [
    http && `curl ${http}`,
    http && `curl ${http}/json`,
    https && `curl -k --http2 ${https}/json`,
    https && !http && `curl -k ${https}`,
    https && !http && `curl -k ${https}/tls`,
    http && !https && `curl ${http}/headers`,
  ].filter((line) => typeof line === 'string');
  out.write(`Seenby listens on\n${indented(addresses)}`);
  if (tries.length > 0) out.write(`Try\n${indented(tries)}`);
  return service;
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}\n`).join('');
}

const stallTimeoutMs = 30_000;
const barWidth = 30;

async function geoUpdate(read: Settings, { out }: World): Promise<Outcome> {
  for (const kind of ['city', 'asn'] as const) {
    let shown = -1;
    const progress = (file: string, receivedBytes: number, totalBytes: number | null): void => {
      // A terminal has a bar that moves, a log a line for every tenth.
      const steps = out.isTTY ? 100 : 10;
      const step =
        totalBytes === null ? Math.floor(receivedBytes / 10e6) : Math.floor((receivedBytes / totalBytes) * steps);
      if (step === shown) return;
      shown = step;
      const done = totalBytes === null ? '' : `${bar(receivedBytes / totalBytes)} `;
      const line = `${file} ${done}${(receivedBytes / 1e6).toFixed(1)} MB`;
      out.write(out.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
    };
    const file = await updateDatabase(read, kind, { progress, now: new Date(), stallTimeoutMs }).finally(() => {
      if (out.isTTY && shown !== -1) out.write('\n');
    });
    out.write(`wrote ${file}\n`);
  }
  return { exitCode: 0 };
}

function bar(share: number): string {
  const filled = Math.round(Math.min(share, 1) * barWidth);
  return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ${String(Math.floor(share * 100)).padStart(3)} %`;
}

const forcedExitMs = 5000;

/** Runs in this process: prints, obeys signals, and ends it with the exit code. */
export async function run(args: readonly string[]): Promise<void> {
  hideFfiWarning();
  process.on('uncaughtException', (error) => {
    process.stderr.write(`seenby: ${failureOf(error)}\n`);
    process.exit(1);
  });
  const outcome = await main(args, { environment: process.env, out: process.stdout, err: process.stderr });
  if ('exitCode' in outcome) {
    process.exitCode = outcome.exitCode;
    return;
  }
  let stopping = false;
  const stop = async (): Promise<void> => {
    // A supervisor may signal every process of a group, and the one above this passes its own on.
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), forcedExitMs).unref();
    await outcome.service.close();
    process.stdout.write('stopped\n');
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());
}

/** Node warns once that its ffi may change; the version is pinned, so that is no news to the operator. */
function hideFfiWarning(): void {
  const listeners = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning' && warning.message.startsWith('FFI')) return;
    for (const listener of listeners) listener(warning);
  });
}
