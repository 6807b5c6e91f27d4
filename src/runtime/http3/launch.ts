/** Starts the process for HTTP/3 once, as its supervisor sees it. */
import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Http3Report, Http3Request, Http3Start } from './messages.ts';

// Its own name in the package, where all programs are in one folder.
const isSource = extname(import.meta.url) === '.ts';
const program = fileURLToPath(new URL(isSource ? './child.ts' : './http3.js', import.meta.url));

export interface Child {
  /** Resolves with a reason that contains no request data. */
  readonly ended: Promise<string>;
  send(request: Http3Request): void;
  /** Resolves when its event loop has responded. */
  ping(): Promise<void>;
  kill(): void;
}

/** Gives it no environment and no file. */
export function launchChild(start: Http3Start, onReport: (report: Http3Report) => void): Child {
  const child = fork(program, {
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let reason: string | null = null;
  const ended = Promise.withResolvers<string>();
  child.on('message', (report: Http3Report) => {
    if (report.kind === 'failed' || report.kind === 'error') reason = report.reason;
    onReport(report);
  });
  // Without a handler, a process that cannot be started would end this one.
  child.on('error', (error: NodeJS.ErrnoException) => ended.resolve(error.code ?? error.name));
  child.on('exit', (code, signal) => ended.resolve(reason ?? signal ?? `exit code ${code}`));
  const send = (request: Http3Request): void => {
    // It may have ended meanwhile.
    if (child.connected) child.send(request, () => {});
  };
  send({ kind: 'start', start });
  return {
    ended: ended.promise,
    send,
    ping() {
      send({ kind: 'ping' });
      // Any message shows it.
      return new Promise((resolve) => child.once('message', () => resolve()));
    },
    kill: () => child.kill('SIGKILL'),
  };
}
