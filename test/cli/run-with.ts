/** Runs the command line in this process. */
import { Readable } from 'node:stream';
import { main } from '../../src/cli/main.ts';

export async function runWith(
  args: readonly string[],
  environment: Record<string, string> = {},
  { isTTY = false, input = '', columns = undefined as number | undefined } = {},
) {
  let out = '';
  let err = '';
  const outcome = await main(args, {
    environment,
    out: { write: (text) => (out += text), isTTY, columns },
    input: Readable.from([input]),
    err: { write: (text) => (err += text) },
  });
  return { outcome, out, err };
}
