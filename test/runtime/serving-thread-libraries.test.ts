/** The library for outbound requests is loaded before the first request, which would otherwise keep all others waiting. */
import { registerHooks } from 'node:module';
import { test } from 'node:test';
import { until } from '../until.ts';

/** Longer than any machine takes; the test ends as soon as it is loaded. */
const timeout = 60_000;

test('loads the library for outbound requests after the start, without a request', { timeout }, async (context) => {
  const loaded = new Set<string>();
  const hooks = registerHooks({
    resolve(specifier, resolution, next) {
      const found = next(specifier, resolution);
      loaded.add(found.url);
      return found;
    },
  });
  context.after(() => hooks.deregister());
  const { startNode } = await import('../node-service.ts');
  const service = await startNode({ host: '127.0.0.1' });
  context.after(() => service.close());
  await until(() => [...loaded].some((url) => url.endsWith('/src/edges/node/outbound/undici.ts')));
});
