/** Everything about the calling request, in one resource. */
import * as z from 'zod';
import { userAgent } from '../client/user-agent.ts';
import { UserAgent } from '../client/user-agent-schema.ts';
import type { ObservedRequest } from '../core/observed.ts';
import { Location, location } from './geo.ts';
import { Headers, headers } from './headers.ts';
import { Http, http } from './http.ts';
import { Network, network } from './network.ts';
import { Tls, tls } from './tls.ts';

export const Info = z
  .object({
    ip: z.string().nullable().describe('Public IP address of the caller'),
    ipVersion: z.literal([4, 6]).nullable(),
    location: Location,
    network: Network,
    tls: Tls,
    http: Http,
    userAgent: UserAgent,
    headers: Headers.shape.headers,
    edgeHeaders: Headers.shape.edgeHeaders,
    time: z.object({
      server: z.iso.datetime().describe('Time of the server when it answered, UTC'),
      serverMs: z.int().describe('The same in milliseconds since the Unix epoch'),
    }),
    meta: z.object({
      docs: z.url(),
      privacy: z.url(),
      simulated: z.boolean().describe('True on a local development server, where network fields are simulated'),
    }),
  })
  .meta({ id: 'Info', description: 'Everything the service sees of the request' });
export type Info = z.infer<typeof Info>;

/** `base` is the service's own address without a final slash, `nowMs` the time of the answer. */
export function info(observed: ObservedRequest, base: string, nowMs: number): Info {
  const { ip, simulated } = observed;
  return {
    ip,
    ipVersion: ip === null ? null : ip.includes(':') ? 6 : 4,
    location: location(observed),
    network: network(observed),
    tls: tls(observed),
    http: http(observed),
    userAgent: userAgent(observed.headers),
    ...headers(observed),
    time: { server: new Date(nowMs).toISOString(), serverMs: nowMs },
    meta: { docs: `${base}/docs`, privacy: `${base}/privacy`, simulated },
  };
}
