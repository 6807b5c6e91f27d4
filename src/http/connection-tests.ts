/** Endpoints that show more of a client's connection than its request does. */
import { ServiceError } from '../core/errors.ts';
import { defaultNames, idPattern, maxNames, maxWaitMs } from '../core/name-server.ts';
import type { RequestContext } from '../core/request-context.ts';
import { toJson } from '../core/text.ts';
import { Probes, probes } from '../resources/probes.ts';
import { Resolvers, resolvers } from '../resources/resolvers.ts';
import { type Endpoint, generalRates } from './endpoint.ts';
import { rejectOtherOrigins } from './request-origin.ts';

/** Value of a parameter that may be sent once; undefined if it is absent. */
function readOnce(query: URLSearchParams, name: string, rule: string): string | undefined {
  const [value, ...repeated] = query.getAll(name);
  if (repeated.length > 0) throw new ServiceError('invalid_query', rule);
  return value;
}

const idRule = 'Send id exactly once: 16 to 32 hexadecimal digits, new and random for each request.';
const namesRule = `Send names at most once: a number from 1 to ${maxNames}.`;
const idForm = new RegExp(idPattern);

async function observeResolvers(context: RequestContext): Promise<Resolvers> {
  const { observed, platform, body, deployment } = context;
  rejectOtherOrigins(context);
  const { zone } = probes(deployment).dns ?? {};
  if (platform.nameServer === undefined || zone === undefined) throw new ServiceError('not_enabled');
  const query = new URLSearchParams(observed.query);
  const id = readOnce(query, 'id', idRule) ?? '';
  if (!idForm.test(id)) throw new ServiceError('invalid_query', idRule);
  const names = readOnce(query, 'names', namesRule) ?? String(defaultNames);
  if (!/^\d{1,2}$/.test(names) || Number(names) < 1 || Number(names) > maxNames)
    throw new ServiceError('invalid_query', namesRule);
  const found = await platform.nameServer.observe({
    id: id.toLowerCase(),
    names: Number(names),
    client: observed.ip,
    onDisconnect: (end) => body.onEnd?.(end),
  });
  return resolvers(zone, found, platform.addressData);
}

export const connectionTests: readonly Endpoint[] = [
  {
    kind: 'test',
    path: '/api/resolver',
    summary: `DNS resolvers of the client. While this request waits, up to ${maxWaitMs / 1000} seconds, the client resolves 1-id.zone, 2-id.zone and so on`,
    rates: generalRates,
    schema: Resolvers,
    parameters: [
      {
        name: 'id',
        description:
          'Random id in the names that the client resolves: 16 to 32 hexadecimal digits, new for each request',
        example: '8f1d5c0b7a2e4936',
        schema: { type: 'string', pattern: idPattern },
        isRequired: true,
      },
      {
        name: 'names',
        description: `Number of names that the client resolves; default: ${defaultNames}`,
        schema: { type: 'integer', minimum: 1, maximum: maxNames, default: defaultNames },
      },
    ],
    errors: ['invalid_query', 'id_in_use', 'cross_origin', 'overloaded'],
    isOffered: (deployment) => probes(deployment).dns !== null,
    render: { json: async (context) => toJson(await observeResolvers(context)) },
  },
  {
    kind: 'test',
    path: '/api/probes',
    summary: 'Tests that this deployment offers: DNS, WebRTC, port check',
    rates: generalRates,
    schema: Probes,
    render: { json: ({ deployment }) => toJson(probes(deployment)) },
  },
];
