/** Entry point of the Worker. */
import type { IncomingRequest } from './observe.ts';
import type { RegistryCache } from './outbound.ts';
import { type Context, createService, type Environment, type Service } from './service.ts';

declare const caches: { open(name: string): Promise<RegistryCache> };

let service: Service | null = null;

export default {
  fetch(request: IncomingRequest, environment: Environment, context: Context): Promise<Response> {
    service ??= createService(environment, {
      send: (input, init) => fetch(input, init),
      // Change the name with the format of the cached data: the cache outlives a deployment.
      openCache: () => caches.open('registry-files-1'),
      log: console.error,
    });
    return service(request, context);
  },
};
