/** A Unix datagram socket that receives what a process sends to its service manager; by ffi, because Node has none. */
import { dlopen, getRawPointer } from 'node:ffi';
import { until } from './until.ts';

type Call = (...args: (number | bigint)[]) => number | bigint;

const { functions } = dlopen(null, {
  socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
  bind: { arguments: ['i32', 'pointer', 'u32'], return: 'i32' },
  recv: { arguments: ['i32', 'pointer', 'u64', 'i32'], return: 'i64' },
  close: { arguments: ['i32'], return: 'i32' },
});
const { socket, bind, recv, close } = functions as unknown as Readonly<
  Record<'socket' | 'bind' | 'recv' | 'close', Call>
>;

const unixFamily = 1;
const datagram = 2;
const closeOnExec = 0o2000000;
const withoutWaiting = 0x40;

export interface NotifySocket {
  /** The messages that have arrived since the last call. */
  take(): string[];
  /** Waits for a message that begins with this line and returns its other lines; discards those before it. */
  next(line: string): Promise<string[]>;
  close(): void;
}

/** Listens at a path, or at a name in the abstract namespace if it begins with @. */
export function listenNotify(path: string): NotifySocket {
  const fd = Number(socket(unixFamily, datagram | closeOnExec, 0));
  const name = path.startsWith('@') ? `\0${path.slice(1)}` : `${path}\0`;
  const address = Buffer.concat([Buffer.from([unixFamily, 0]), Buffer.from(name)]);
  if (Number(bind(fd, getRawPointer(address), address.length)) !== 0) throw new Error(`cannot bind ${path}`);
  const buffer = Buffer.alloc(4096);
  const receive = (): string | null => {
    const length = Number(recv(fd, getRawPointer(buffer), BigInt(buffer.length), withoutWaiting));
    return length < 0 ? null : buffer.toString('utf8', 0, length);
  };
  return {
    take() {
      const messages: string[] = [];
      for (let message = receive(); message !== null; message = receive()) messages.push(message);
      return messages;
    },
    next: (line) =>
      until(() => {
        const [first, ...others] = receive()?.trimEnd().split('\n') ?? [];
        return first === line && others;
      }),
    close: () => void close(fd),
  };
}
