/** The Worker: Cloudflare calls it with each request. */
import type { Context, Environment, IncomingRequest, RegistryCache } from './runtime.ts';
import { createService, type Service } from './service.ts';

declare const caches: { open(name: string): Promise<RegistryCache> };

let service: Service | null = null;

export default {
  fetch(request: IncomingRequest, environment: Environment, context: Context): Promise<Response> {
    service ??= createService(environment, {
      send: (input, init) => fetch(input, init),
      // A new name where the shape of what is kept changes: it outlives a deployment.
      openCache: () => caches.open('registry-files-1'),
      log: console.error,
    });
    return service(request, context);
  },
};
