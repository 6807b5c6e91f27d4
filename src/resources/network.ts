/** IP address, ISP and measurements of the client's connection. */
import * as z from 'zod';
import { defineField } from '../core/field.ts';
import type { ObservedRequest } from '../core/observed.ts';

export const Address = z.object({
  ip: defineField(z.string().nullable(), { label: 'IP address', description: "Client's public IP address" }),
  ipVersion: defineField(z.literal([4, 6]).nullable(), {
    label: 'IP version',
    description: "Version of the client's IP address: 4 or 6",
  }),
});
export type Address = z.infer<typeof Address>;

export const Port = z.object({
  port: defineField(z.int().nullable(), {
    label: 'Source port',
    description: 'Source port of the client connection; null if a proxy hides it',
  }),
});
export type Port = z.infer<typeof Port>;

export const Network = z
  .object({
    asn: defineField(z.int().nullable(), { label: 'ASN', description: 'Autonomous system number' }),
    asOrganization: defineField(z.string().nullable(), {
      label: 'Organization',
      description: 'Organization that operates the autonomous system, usually the ISP',
    }),
    colo: defineField(z.string().nullable(), {
      label: 'Edge data center',
      description: 'IATA code of the edge data center that handled the request',
    }),
    clientTcpRttMs: defineField(z.number().nullable(), {
      label: 'Round-trip time, TCP',
      description: 'Smoothed RTT in milliseconds; TCP only (HTTP/1.1, HTTP/2), null if not measured',
      unit: ' ms',
    }),
    clientQuicRttMs: defineField(z.number().nullable(), {
      label: 'Round-trip time, QUIC',
      description: 'Smoothed RTT in milliseconds; HTTP/3 only, null if not measured',
      unit: ' ms',
    }),
    deliveryRateBps: defineField(z.number().nullable(), {
      label: 'Delivery rate',
      description: 'Most recent delivery rate in bytes per second',
      unit: ' bytes/s',
    }),
  })
  .meta({ id: 'Network', description: 'ISP, ASN and measurements of the client connection' });
export type Network = z.infer<typeof Network>;

export function address({ ip }: Pick<ObservedRequest, 'ip'>): Address {
  return { ip, ipVersion: ip === null ? null : ip.includes(':') ? 6 : 4 };
}

export function network(observed: ObservedRequest): Network {
  const { asn, asOrganization } = observed.autonomousSystem;
  const { clientTcpRttMs, clientQuicRttMs, deliveryRateBps } = observed.transport;
  return { asn, asOrganization, colo: observed.colo, clientTcpRttMs, clientQuicRttMs, deliveryRateBps };
}
