/** The tool `whoami`: what the service observes about the machine that calls it. */
import * as z from 'zod';
import { UserAgent } from '../client/user-agent-schema.ts';
import type { ObservedRequest } from '../core/observed.ts';
import { Location } from '../resources/geo.ts';
import { Headers } from '../resources/headers.ts';
import { Http } from '../resources/http.ts';
import { Info, info } from '../resources/info.ts';
import { Network } from '../resources/network.ts';
import { Tls } from '../resources/tls.ts';

const note =
  "This describes the machine that called the MCP server. For a hosted assistant, that is its provider's server, not the user's device or location.";

export const Whoami = z.object({
  note: z.string().describe('Which machine this describes'),
  ip: Info.shape.ip,
  ipVersion: Info.shape.ipVersion,
  location: Location,
  network: Network.pick({ asn: true, asOrganization: true, colo: true }),
  tls: Tls.pick({ version: true, cipher: true }),
  http: Http.pick({ protocol: true }),
  userAgent: UserAgent.pick({ raw: true, kind: true, bot: true }),
  headers: Headers.shape.headers.nullable().describe('Headers of the call; null unless include_headers is true'),
  simulated: Info.shape.meta.shape.simulated,
});
export type Whoami = z.infer<typeof Whoami>;

export function whoami(observed: ObservedRequest, includeHeaders: boolean): Whoami {
  const { ip, ipVersion, location, network, tls, http, userAgent, headers, meta } = info(observed, '', 0);
  return {
    note,
    ip,
    ipVersion,
    location,
    network: { asn: network.asn, asOrganization: network.asOrganization, colo: network.colo },
    tls: { version: tls.version, cipher: tls.cipher },
    http: { protocol: http.protocol },
    userAgent: { raw: userAgent.raw, kind: userAgent.kind, bot: userAgent.bot },
    headers: includeHeaders ? headers : null,
    simulated: meta.simulated,
  };
}
