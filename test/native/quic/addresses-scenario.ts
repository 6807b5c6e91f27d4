/**
 * A QUIC server on a machine with several addresses: runs in a network namespace, with a real client in another one beside it. Prints as JSON
 * which addresses have answered. Argument: the process id of the other namespace.
 */
import { execFileSync, spawn } from 'node:child_process';
import { runToEnd } from '../../quic-clients.ts';
import { until } from '../../until.ts';
import { startResponder } from './responder.ts';

const [peer = ''] = process.argv.slice(2);

await using responder = await startResponder('ok', { host: null });

/** Whether the client gets a response from an address. */
async function request(address: string, timeoutSeconds = 5): Promise<boolean> {
  const options = ['--exit-on-all-streams-close', `--handshake-timeout=${timeoutSeconds}s`, '--no-quic-dump'];
  const client = ['gtlsclient', ...options, address, `${responder.port}`, 'https://localhost/'];
  const { printed } = await runToEnd(spawn('nsenter', ['--net', '-t', peer, ...client]));
  return /\[:status: 200\]/.test(printed);
}

const answered: Record<string, boolean> = {};
for (const address of ['10.9.0.1', '10.9.0.2', 'fd09::1', 'fd09::2', '192.0.2.9'])
  answered[address] = await request(address);
// The machine gets a further address, which it looks for at intervals, and loses one.
execFileSync('ip', ['addr', 'add', '10.9.0.3/24', 'dev', 'inside']);
execFileSync('ip', ['addr', 'del', '10.9.0.2/24', 'dev', 'inside']);
await until(() => request('10.9.0.3', 1));
answered['10.9.0.1, still'] = await request('10.9.0.1');
process.stdout.write(JSON.stringify(answered));
