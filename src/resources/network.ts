/** The caller's network, and what the connection measured. */
import * as z from 'zod';
import type { ObservedRequest } from '../core/observed.ts';

export const Network = z
  .object({
    asn: z.int().nullable().describe('Autonomous system number'),
    asOrganization: z.string().nullable().describe('Who holds the autonomous system'),
    colo: z.string().nullable().describe('IATA code of the edge data center that handled the request'),
    clientTcpRttMs: z
      .number()
      .nullable()
      .describe('Smoothed round trip in milliseconds; only on TCP (HTTP/1.1, HTTP/2), null when not measured'),
    clientQuicRttMs: z
      .number()
      .nullable()
      .describe('Smoothed round trip in milliseconds; only on HTTP/3, null when not measured'),
    deliveryRateBps: z.number().nullable().describe('Most recent delivery rate, in bytes per second'),
  })
  .meta({ id: 'Network', description: 'The access network of the caller, and what the connection measured' });
export type Network = z.infer<typeof Network>;

export function network(observed: ObservedRequest): Network {
  const { asn, asOrganization } = observed.autonomousSystem;
  const { clientTcpRttMs, clientQuicRttMs, deliveryRateBps } = observed.transport;
  return { asn, asOrganization, colo: observed.colo, clientTcpRttMs, clientQuicRttMs, deliveryRateBps };
}
