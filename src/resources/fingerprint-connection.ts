/** HTTP/2 connection preface (RFC 9113 §3.4) and TCP SYN of the client, with IANA's names. */
import * as z from 'zod';
import { settingNames, tcpOptionNames } from '../client/fingerprint/data/connection-names.ts';
import type { Http2Preface } from '../client/fingerprint/http2-preface.ts';
import { named, namedAll } from '../client/fingerprint/names.ts';
import { initialTtlOf, parseTcpSyn } from '../client/fingerprint/tcp-syn.ts';
import { defineField, flagField, integerField, textField } from '../core/field.ts';
import type { ObservedRequest } from '../core/observed.ts';
import { Named, namesField } from './fingerprint-tls.ts';

const Priority = z.object({
  weight: z.int().describe('1 to 256'),
  exclusive: z
    .boolean()
    .describe('Exclusive flag: other streams that depend on the same stream then depend on this one'),
  dependsOn: z.int().describe('Stream it depends on'),
});

export const HttpOpening = z
  .object({
    version: textField('HTTP version of the opening', 'HTTP/1.0, HTTP/1.1, HTTP/2 or HTTP/3'),
    headerOrder: defineField(z.array(z.string()).nullable(), {
      label: 'Header order',
      description:
        'Names of the header fields as the client sent them, in their order and, over HTTP/1, their case; null if an intermediary sent them',
    }),
    pseudoHeaderOrder: defineField(z.array(z.string()).nullable(), {
      label: 'Pseudo-header order',
      description: 'Pseudo-headers of HTTP/2 in the order sent',
    }),
    settings: defineField(z.array(Named.extend({ value: z.int().describe('Value of the setting') })).nullable(), {
      label: 'SETTINGS',
      description: 'First SETTINGS frame in the order sent, unknown ids included',
    }),
    windowUpdate: integerField(
      'WINDOW_UPDATE',
      'Increment of the first WINDOW_UPDATE frame; null if none came before the first request',
      ' bytes',
    ),
    priorityFrames: defineField(
      z.array(Priority.extend({ streamId: z.int().describe('Stream that gets the priority') })).nullable(),
      {
        label: 'PRIORITY frames',
        description: 'PRIORITY frames before the first request',
      },
    ),
    headersPriority: defineField(Priority.nullable(), {
      label: 'HEADERS priority',
      description: 'Priority in the first HEADERS frame of the connection; null if it had none',
    }),
  })
  .meta({ id: 'HttpOpening', description: 'Opening of HTTP by the client; null if the edge did not observe it' });
export type HttpOpening = z.infer<typeof HttpOpening>;

export const TcpOpening = z
  .object({
    ipVersion: defineField(z.union([z.literal(4), z.literal(6)]).nullable(), {
      label: 'IP version, first packet',
      description: 'IP version of the first packet',
    }),
    ttl: integerField('TTL', 'Time to live (IPv4) or hop limit (IPv6) on arrival'),
    initialTtlEstimate: integerField(
      'Initial TTL, estimated',
      'Lowest of the usual initial values 32, 64, 128 and 255 that is not below the TTL; an estimate',
    ),
    dontFragment: flagField('Do not fragment', 'The DF bit; null over IPv6, which has none'),
    windowSize: integerField('Window size', 'Window field of the first packet, not scaled', ' bytes'),
    mss: integerField('Maximum segment size', 'Maximum segment size (MSS); null without the option', ' bytes'),
    windowScale: integerField('Window scale', 'Shift count of the window; null without the option'),
    options: namesField('TCP options', 'TCP options in the order sent, padding included'),
  })
  .meta({
    id: 'TcpOpening',
    description:
      'First TCP packet (SYN) of the connection; all null behind proxies, with SYN cookies and on systems other than Linux',
  });
export type TcpOpening = z.infer<typeof TcpOpening>;

/** `pseudoHeaders` and `headers` are the names of the request's fields as sent. */
export interface HeaderNames {
  readonly pseudoHeaders: readonly string[];
  readonly headers: readonly string[];
}

export function httpOpening(
  { protocol }: Pick<ObservedRequest, 'protocol'>,
  names: HeaderNames | null,
  preface: Http2Preface | null,
): HttpOpening {
  return {
    version: protocol,
    headerOrder: names && [...names.headers],
    pseudoHeaderOrder: names && names.pseudoHeaders.length > 0 ? [...names.pseudoHeaders] : null,
    settings: preface?.settings.map(({ id, value }) => ({ ...named(id, settingNames), value })) ?? null,
    windowUpdate: preface?.windowUpdate ?? null,
    priorityFrames: preface && [...preface.priorityFrames],
    headersPriority: preface?.headersPriority ?? null,
  };
}

export function tcpOpening(packet: Uint8Array | null): TcpOpening {
  const syn = packet && parseTcpSyn(packet);
  return {
    ipVersion: syn?.ipVersion ?? null,
    ttl: syn?.ttl ?? null,
    initialTtlEstimate: syn && initialTtlOf(syn.ttl),
    dontFragment: syn?.dontFragment ?? null,
    windowSize: syn?.windowSize ?? null,
    mss: syn?.mss ?? null,
    windowScale: syn?.windowScale ?? null,
    options: syn && namedAll(syn.options, tcpOptionNames),
  };
}
