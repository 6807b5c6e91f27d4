/** All data about the request, in one resource. */
import * as z from 'zod';
import { userAgent } from '../client/user-agent.ts';
import { UserAgent } from '../client/user-agent-schema.ts';
import { fieldOf } from '../core/field.ts';
import type { ObservedRequest } from '../core/observed.ts';
import { Address, address, Http, http, Network, network, RequestHeaders } from './connection.ts';
import { IpLocation, location } from './geo.ts';
import { Tls, tls } from './tls.ts';

export const Info = z
  .object({
    ...Address.shape,
    location: IpLocation,
    network: Network,
    tls: Tls,
    http: Http,
    userAgent: UserAgent,
    headers: RequestHeaders.shape.headers,
    edgeHeaders: RequestHeaders.shape.edgeHeaders,
    time: z.object({
      server: fieldOf(z.iso.datetime())('Server time', 'Server time of the response, UTC (RFC 3339)'),
      serverMs: fieldOf(z.int())(
        'Unix time',
        'Server time of the response in milliseconds since the Unix epoch',
        ' ms',
      ),
    }),
    meta: z.object({
      docs: fieldOf(z.url())('Documentation', 'URL of the documentation'),
      privacy: fieldOf(z.url())('Privacy page', 'URL of the privacy page'),
      simulated: fieldOf(z.boolean())(
        'Simulated',
        'True on a local development server, where network fields are simulated',
      ),
    }),
  })
  .meta({ id: 'Info', description: 'All data about the request' });
export type Info = z.infer<typeof Info>;

/** `base` is the service's public URL without a final slash, `nowMs` the time of the response. */
export function info(observed: ObservedRequest, base: string, nowMs: number): Info {
  const { ip, ipVersion } = address(observed);
  // Without spreads, which take 1 µs here.
  return {
    ip,
    ipVersion,
    location: location(observed),
    network: network(observed),
    tls: tls(observed),
    http: http(observed),
    userAgent: userAgent(observed.headers),
    headers: observed.headers,
    edgeHeaders: observed.edgeHeaders,
    time: { server: new Date(nowMs).toISOString(), serverMs: nowMs },
    meta: { docs: `${base}/docs`, privacy: `${base}/privacy`, simulated: observed.simulated },
  };
}
