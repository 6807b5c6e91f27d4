/** The bounds by concept, for SECURITY.md: of what, and which share one client or connection has; their values are read from the code. */
import { type SettingName, settings, variableOf } from '../../src/core/settings.ts';
import { type Bounds, bounds } from '../../src/edges/node/limits/bounds.ts';
import { attackRows, formatBound } from './attack-table.ts';

type BoundName = keyof Bounds | SettingName;

/** `of` has the unit; `share` is whose part of it is bounded, if that is not the one of the concept. */
type Row = readonly [name: BoundName, of: string, share?: string];

const concepts: readonly (readonly [concept: string, rule: string, rows: readonly Row[]])[] = [
  [
    'Pools',
    'the largest holder gives way',
    [
      ['maxConnections', 'connections without a request'],
      ['maxBodyBytes', 'bodies'],
      ['maxWaitingBodies', 'requests with a body'],
      ['maxWaitingRequests', 'requests'],
      ['maxHeldHeaderParts', 'header names and values'],
      ['maxQuicBytes', 'QUIC'],
      ['maxSendBufferBytes', 'unsent', 'slowest'],
    ],
  ],
  [
    'Turns',
    'each client has one',
    [
      ['iterationMs', 'ms of work'],
      ['maxStreamsPerIteration', 'streams'],
      ['maxBytesPerIteration', 'read'],
      ['maxImmediateStarts', 'starts'],
      ['maxWaitingDatagrams', 'datagrams'],
    ],
  ],
  [
    'Rates',
    'of a client, or of a connection',
    [
      ['connectionRate', 'connections per second'],
      ['rateLimitGeneral', 'requests per minute'],
      ['rateLimitLookup', 'lookups per minute'],
      ['rateLimitTools', 'calls per minute'],
      ['rateLimitDocuments', 'MB per minute'],
      ['rateLimitDns', 'responses per second', 'network'],
      ['rateLimitStun', 'responses per second'],
      ['streamResetRate', 'resets per second', 'connection'],
      ['uselessBytesPerSecond', 'per second of no request', 'connection'],
    ],
  ],
  [
    'Numbers in progress',
    'more wait or are rejected',
    [
      ['maxConnectionsPerAddress', 'connections', 'client'],
      ['maxOutbound', 'outbound requests', 'a tenth for a client'],
      ['maxResolverRequests', 'waiting requests', 'process'],
      ['maxAddressResolverRequests', 'of them', 'client'],
      ['maxRequestsInFlight', 'requests', 'connection'],
      ['maxConcurrentStreams', 'streams', 'connection'],
      ['maxAddressRequestsInFlight', 'HTTP/3 requests', 'client'],
      ['maxUnvalidatedHandshakes', 'QUIC handshakes', 'process'],
      ['maxCompressions', 'compressions', 'process'],
    ],
  ],
  [
    'Sizes',
    'of a connection or request',
    [
      ['maxHeaderBytes', 'headers'],
      ['maxHeaderFields', 'headers'],
      ['receiveBufferBytes', 'unread'],
      ['maxConnectionBytesPerIteration', 'read'],
      ['maxConnectionSendBufferBytes', 'unsent'],
      ['quicConnectionBufferBytes', 'unacknowledged'],
      ['maxQuicConnectionBytes', 'QUIC'],
      ['maxUselessBytes', 'of no request'],
      ['streamResetBurst', 'resets'],
      ['maxConnectionRequests', 'HTTP/3 requests'],
      ['quicConnectionStreams', 'streams'],
    ],
  ],
  [
    'Deadlines',
    'besides those of the stages',
    [
      ['answerTimeoutMs', 'response'],
      ['stallTimeoutMs', 'stalled reader'],
      ['unvalidatedTimeoutMs', 'unproven address'],
    ],
  ],
];

/** Bounds of the table of stages; values that decide how a bound above applies; and those of memory that no client holds. */
const parameters: readonly (keyof Bounds)[] = [
  'handshakeTimeoutMs',
  'headersTimeoutMs',
  'crowdedShare',
  'networkShare',
  'clientsOfNetwork',
  'unreadMs',
  'networkBudget',
  'maxUnservedConnections',
  'maxAcceptsPerIteration',
  'waitingResponseBytes',
  'stallBytes',
  'heapGrowthPercent',
  'scarceHeapGrowthPercent',
  'releaseMemoryMs',
  'releasePauseMs',
  'releaseGrowthBytes',
];

const isSetting = (name: BoundName): name is SettingName => !(name in bounds);

function describe([name, of, share]: Row): string {
  const value = isSetting(name) ? settings[name].default : formatBound(name);
  const title = isSetting(name) ? variableOf(name) : name;
  return `\`${title}\` (${value}, ${of}${share === undefined ? '' : `, ${share}`})`;
}

export const boundList = concepts
  .map(([concept, rule, rows]) => `- **${concept}**, ${rule}: ${rows.map(describe).join(', ')}\n`)
  .join('');

const named = new Set(attackRows.flat().flatMap((text) => Array.from(text.matchAll(/`(\w+)`/g), ([, name]) => name)));

/** Bounds of the table of attacks that have no row here. */
export const unlisted = (Object.keys(bounds) as (keyof Bounds)[]).filter(
  (name) =>
    named.has(name) && !parameters.includes(name) && !concepts.some(([, , rows]) => rows.some(([row]) => row === name)),
);
