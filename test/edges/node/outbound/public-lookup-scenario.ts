/** Prints for each address of the arguments whether a lookup takes it for the service's own; runs in a namespace of its own. */
import { publicAddresses } from '../../../../src/edges/node/outbound/public-lookup.ts';

const results: Record<string, unknown> = {};
for (const address of process.argv.slice(2)) {
  const found = await publicAddresses(address.includes(':') ? `[${address}]` : address, 1000);
  results[address] = typeof found === 'string' ? found : 'allowed';
}
process.stdout.write(JSON.stringify(results));
