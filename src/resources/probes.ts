/** The tests that a deployment offers besides what a request shows. */
import * as z from 'zod';
import type { Deployment, Probes as OfferedProbes } from '../core/request-context.ts';

export const Probes = z
  .object({
    dns: z
      .object({ zone: z.string().describe('DNS zone of this service') })
      .nullable()
      .describe('Whether /api/resolver shows DNS resolvers; null if not'),
    stun: z
      .object({
        host: z.string().describe('Host name or IP address'),
        port: z.int().describe('UDP port'),
        mappingPort: z
          .int()
          .nullable()
          .describe('Second UDP port, which shows whether a NAT maps ports by destination; null if there is none'),
      })
      .nullable()
      .describe('STUN server (RFC 8489), which returns the UDP address and port of the client; null if there is none'),
    portCheck: z.boolean().describe("Whether /api/port connects to a TCP port of the client's address"),
  })
  .meta({ id: 'Probes', description: 'Tests that this deployment offers' }) satisfies z.ZodType<OfferedProbes>;

const none: OfferedProbes = { dns: null, stun: null, portCheck: false };

export const probes = ({ probes: offered = none }: Deployment): OfferedProbes => offered;
