/** Runs the command line in this process. */
import { main } from '../../src/cli/main.ts';

export async function runWith(args: readonly string[], environment: Record<string, string> = {}, isTTY = false) {
  let out = '';
  let err = '';
  const outcome = await main(args, {
    environment,
    out: { write: (text) => (out += text), isTTY },
    err: { write: (text) => (err += text) },
  });
  return { outcome, out, err };
}
