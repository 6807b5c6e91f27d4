/** Layout of the tests of `me`: round trips, who answers DNS queries, and the addresses of UDP. */
import { formatMs, layerNames, layers } from '../../http/page/home/layers.ts';
import { describeResolvers, type OwnNetwork } from '../../probes/resolvers.ts';
import { udpPorts } from '../../probes/webrtc.ts';
import { type ClientTests, notOffered } from '../me/client-tests.ts';
import type { UdpAddresses } from '../me/udp-addresses.ts';
import { joinKnown, type Row } from './terminal.ts';

/** Most addresses in one row; --json has all. */
const maxShown = 4;

/** `network`: the network of the request. */
export function testRows({ resolver, udp, roundTrips }: ClientTests, network: OwnNetwork): readonly Row[] {
  return [['Round trips', describeRoundTrips(roundTrips)], ...resolverRows(resolver, network), ...udpRows(udp)];
}

function describeRoundTrips(roundTrips: ClientTests['roundTrips']): string {
  if (roundTrips.reason !== null) return withReason(roundTrips.reason);
  const measured = layers.map((layer) => {
    const ms = roundTrips[layer];
    return ms === null ? null : `${layerNames[layer]} ${formatMs(ms)}`;
  });
  return joinKnown(measured) || withReason('not measured: a proxy is in front, or the service was busy');
}

function resolverRows(resolver: ClientTests['resolver'], network: OwnNetwork): readonly Row[] {
  if (resolver.reason !== null) return [['Resolver', withReason(resolver.reason)]];
  return describeResolvers(resolver, network).map(({ label, text, addresses = [] }) => {
    const left = addresses.length - maxShown;
    const more = left > 0 ? `and ${left} more` : null;
    return [label, [text, joinKnown([...addresses.slice(0, maxShown), more])]];
  });
}

/** The ports only if the service compares them. */
function udpRows(udp: ClientTests['udp']): readonly Row[] {
  if (udp.reason !== null) return [['UDP', withReason(udp.reason)]];
  const seen: Row = ['UDP', udp.addresses.map(({ ip, port }) => `${ip} port ${port}`)];
  const ports = describeMapping(udp);
  return ports === null ? [seen] : [seen, [udpPorts.label, ports]];
}

function describeMapping({ mappingReason, isMappedByDestination }: UdpAddresses): string | null {
  if (mappingReason !== null) return `${udpPorts.notCompared}: ${mappingReason}`;
  if (isMappedByDestination === null) return null;
  return isMappedByDestination ? udpPorts.different : udpPorts.same;
}

const withReason = (reason: string): string => `- (${reason})`;

/** The addresses of resolvers and of UDP, `-` without a result; empty if the service offers neither test. */
export function shortenTests({ resolver, udp }: Pick<ClientTests, 'resolver' | 'udp'>): string {
  if (resolver === notOffered && udp === notOffered) return '';
  const resolvers = resolver.reason === null ? resolver.resolvers.map(({ address }) => address) : ['-'];
  const addresses = udp.reason === null ? udp.addresses.map(withPort) : ['-'];
  return `resolver ${resolvers.join(', ')} · UDP ${addresses.join(', ')}`;
}

const withPort = ({ ip, port }: { readonly ip: string; readonly port: number }): string =>
  ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
