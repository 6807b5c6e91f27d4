/** Tells the service manager (systemd) about the state of the process: the protocol of sd_notify(3), through sendto(2). */

export interface ServiceManager {
  /** Sends assignments such as `READY=1`, in one message; false if the manager did not receive it. */
  notify(...assignments: readonly string[]): boolean;
  /** Interval at which the manager expects `WATCHDOG=1`, in milliseconds; null if it does not. */
  readonly watchdogMs: number | null;
}

type Call = (...args: (number | bigint)[]) => number;
type CallName = 'socket' | 'setsockopt' | 'sendto' | 'close';

/** Variables that concern this process only. */
const variables = ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID'] as const;
export type ManagerEnvironment = { readonly [Name in (typeof variables)[number]]?: string | undefined };

/** Takes the manager's variables out of the environment, so that child processes cannot send messages in its name. */
export function takeManagerVariables(environment: NodeJS.ProcessEnv): ManagerEnvironment {
  const taken = Object.fromEntries(variables.map((name) => [name, environment[name]]));
  for (const name of variables) delete environment[name];
  return taken;
}

/** Null without a manager; `unavailable` if this Node cannot reach it. */
export async function openServiceManager(
  { NOTIFY_SOCKET: path = '', WATCHDOG_USEC, WATCHDOG_PID }: ManagerEnvironment,
  pid = process.pid,
): Promise<ServiceManager | 'unavailable' | null> {
  if (path === '') return null;
  const send = await createSender(path);
  if (send === null) return 'unavailable';
  const watchdogMs = Number(WATCHDOG_USEC ?? 0) / 1000;
  const isWatched = watchdogMs > 0 && (WATCHDOG_PID === undefined || WATCHDOG_PID === String(pid));
  return { notify: (...assignments) => send(`${assignments.join('\n')}\n`), watchdogMs: isWatched ? watchdogMs : null };
}

/** Microseconds of CLOCK_MONOTONIC, as `RELOADING=1` requires. */
export function monotonicMicroseconds(): string {
  return `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`;
}

// Linux, of every architecture that Node runs on.
const unixFamily = 1;
const datagramCloseOnExec = 0o2000002;
const socketLevel = 1;
const sendTimeoutOption = 21;
const noSignal = 0x4000;
const maxPathBytes = 107;
/** A manager that does not read must not block the event loop for longer. */
const sendTimeoutSeconds = 1n;

async function createSender(path: string): Promise<((message: string) => boolean) | null> {
  const address = addressOf(path);
  if (process.platform !== 'linux' || address === null) return null;
  try {
    const { dlopen, getRawPointer } = await import('node:ffi');
    const { functions } = dlopen(null, {
      socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
      setsockopt: { arguments: ['i32', 'i32', 'i32', 'pointer', 'u32'], return: 'i32' },
      sendto: { arguments: ['i32', 'pointer', 'u64', 'i32', 'pointer', 'u32'], return: 'i64' },
      close: { arguments: ['i32'], return: 'i32' },
    });
    const { socket, setsockopt, sendto, close } = functions as unknown as Readonly<Record<CallName, Call>>;
    const timeout = Buffer.alloc(16);
    timeout.writeBigInt64LE(sendTimeoutSeconds);
    return (message) => {
      const bytes = Buffer.from(message);
      const fd = socket(unixFamily, datagramCloseOnExec, 0);
      if (fd < 0) return false;
      setsockopt(fd, socketLevel, sendTimeoutOption, getRawPointer(timeout), timeout.length);
      const [at, length] = [getRawPointer(bytes), BigInt(bytes.length)];
      const sent = sendto(fd, at, length, noSignal, getRawPointer(address), address.length);
      close(fd);
      return Number(sent) === bytes.length;
    };
  } catch {
    // A Node without ffi, or without the permission for it.
    return null;
  }
}

/** Bytes of `struct sockaddr_un`: a path, or a name in the abstract namespace if it starts with @; null if it is neither. */
function addressOf(path: string): Buffer | null {
  if (!/^[/@]/.test(path) || Buffer.byteLength(path) > maxPathBytes) return null;
  const address = Buffer.alloc(2 + Buffer.byteLength(path) + (path.startsWith('@') ? 0 : 1));
  address.writeUInt16LE(unixFamily);
  address.write(path.replace(/^@/, '\0'), 2);
  return address;
}
