/** Layout of the tests of `me`: round trips, who answers DNS queries, and the addresses of UDP. */
import { formatMs, layerNames, layers } from '../../http/page/home/layers.ts';
import { describeResolvers, type OwnNetwork } from '../../probes/resolvers.ts';
import { type ClientTests, notOffered } from '../me/client-tests.ts';
import { joinKnown, type Row } from './terminal.ts';

/** Most addresses in one row; --json has all. */
const maxShown = 4;

/** `network`: the network of the request. */
export function testRows({ resolver, udp, roundTrips }: ClientTests, network: OwnNetwork): readonly Row[] {
  return [
    ['Round trips', describeRoundTrips(roundTrips)],
    ...resolverRows(resolver, network),
    ['UDP', describeUdp(udp)],
  ];
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

function describeUdp(udp: ClientTests['udp']): string | readonly string[] {
  if (udp.reason !== null) return withReason(udp.reason);
  const seen = udp.addresses.map(({ ip, port }) => `${ip} port ${port}`);
  if (udp.mappingReason !== null) return [...seen, `ports not compared: ${udp.mappingReason}`];
  if (udp.isMappedByDestination === null) return seen;
  return [
    ...seen,
    udp.isMappedByDestination ? 'a different port for each destination' : 'the same port for both destinations',
  ];
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
