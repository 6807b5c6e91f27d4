/** The tables of SECURITY.md: limits of each stage of a connection; attacks with their bounds, read from the code, and their tests. */
import { formatBytes } from '../../src/core/limits.ts';
import { type SettingName, settings, variableOf } from '../../src/core/settings.ts';
import { type Bounds, bounds } from '../../src/edges/node/limits/bounds.ts';
import { maxHelloBytes, maxPrefaceBytes } from '../../src/ingress/first-bytes.ts';
import { maxVersion2Bytes } from '../../src/ingress/proxy-header.ts';
import { maxBodyBytes } from '../../src/mcp/message.ts';

export const stageHeadings = ['Stage', 'Time', 'Size'] as const;
export const attackHeadings = ['Attack', 'Bound', 'Test'] as const;

const seconds = (ms: number): string => (ms === 1000 ? '1 second' : `${ms / 1000} seconds`);

/** The value of a bound, with its unit if its name has one. */
export function formatBound(name: keyof Bounds): string {
  const value = bounds[name];
  if (/Bytes/.test(name)) return formatBytes(value);
  return /Ms$/.test(name) && value >= 1000 ? seconds(value) : value.toLocaleString('en-US');
}

/** A bound with its value and name, such as ``32 requests in flight (`maxRequestsInFlight`)``. */
const withName = (name: keyof Bounds, describe: (value: string) => string): string =>
  `${describe(formatBound(name))} (\`${name}\`)`;

const setting = (name: SettingName): string => `\`${variableOf(name)}\` (${settings[name].default})`;

const { helloTimeoutMs, handshakeTimeoutMs, headersTimeoutMs, requestTimeoutMs, bodyTimeoutMs, idleTimeoutMs } = bounds;

export const stages: readonly (readonly [string, string, string])[] = [
  ['PROXY header', seconds(helloTimeoutMs), formatBytes(maxVersion2Bytes)],
  ['ClientHello', seconds(helloTimeoutMs), formatBytes(maxHelloBytes)],
  ['TLS handshake', seconds(handshakeTimeoutMs), ''],
  ['HTTP/2 preface', seconds(helloTimeoutMs), formatBytes(maxPrefaceBytes)],
  ['Headers', seconds(headersTimeoutMs), formatBytes(bounds.maxHeaderBytes)],
  ['Body', seconds(bodyTimeoutMs), formatBytes(maxBodyBytes)],
  ['Request', seconds(requestTimeoutMs), ''],
  ['Idle connection', seconds(idleTimeoutMs), ''],
];

const attacks: readonly (readonly [attack: string, bounds: readonly string[], tests: readonly string[]])[] = [
  [
    'Thousands of pipelined requests, responses unread',
    [
      'Requests are parsed one at a time, and bytes beyond them wait in the kernel',
      withName('maxRequestsInFlight', (value) => `${value} requests in flight per connection`),
      withName('iterationMs', (value) => `${value} ms in each event-loop iteration for waiting requests`),
      withName('maxConnectionSendBufferBytes', (value) => `${value} unsent per connection`),
      withName('maxSendBufferBytes', (value) => `${value} unsent in the process`),
      withName('maxCompressions', (value) => `${value} concurrent compressions of what is longer than a page`),
    ],
    ['test/abuse/requests.test.ts', 'test/abuse/http2.test.ts', 'test/ingress/http1.test.ts'],
  ],
  [
    'Expensive tool calls',
    ['After their body has arrived, requests start one by one, in equal shares for all connections (`iterationMs`)'],
    ['test/abuse/tools.test.ts'],
  ],
  [
    'Request bodies that are held or sent slowly',
    [
      withName('maxBodyBytes', (value) => `${value} for the bodies of all requests`),
      withName('maxWaitingBodies', (value) => `${value} HTTP/2 requests that wait with a body`),
      'above them, those of the client that holds most, or of its network, are rejected',
    ],
    ['test/abuse/tools.test.ts', 'test/ingress/http2.test.ts'],
  ],
  [
    'HTTP/2 stream flood',
    [
      withName('maxConcurrentStreams', (value) => `${value} streams`),
      withName('maxRequestsInFlight', (value) => `${value} of them handled concurrently`),
      withName('maxImmediateStarts', (value) => `the first ${value} requests of an event-loop iteration start in it`),
      withName(
        'maxStreamsPerIteration',
        (value) => `after ${value} opened or closed streams, no connection is read until the next iteration`,
      ),
      withName(
        'maxWaitingRequests',
        (value) => `above ${value} that wait on all connections, those of the largest holder are refused`,
      ),
    ],
    ['test/abuse/http2.test.ts', 'test/ingress/http2.test.ts', 'test/ingress/streams.test.ts'],
  ],
  [
    'HTTP/2 rapid reset',
    [
      'Waiting requests that are reset are never handled',
      withName('streamResetBurst', (value) => `more than ${value} resets end the connection`),
      withName('streamResetRate', (value) => `${value} per second are restored`),
    ],
    ['test/abuse/http2.test.ts', 'test/ingress/http2.test.ts'],
  ],
  [
    'HTTP/2 frames that cost the parser more than their bytes (empty names, trailers, DATA of one byte, HPACK references)',
    [
      withName('maxHeaderFields', (value) => `${value} headers of a request; one with more is reset`),
      'names and values count in the cost of a stream (`maxStreamsPerIteration`), those of trailers too',
      withName('receiveBufferBytes', (value) => `${value} of a connection in the kernel`),
      withName(
        'maxConnectionBytesPerIteration',
        (value) => `after ${value} in an event-loop iteration, a connection is not read until the next`,
      ),
      withName('maxBytesPerIteration', (value) => `after ${value} in all, none is`),
    ],
    ['test/abuse/frames.test.ts'],
  ],
  [
    'HTTP/2 requests with thousands of headers that are held',
    [
      withName(
        'maxHeldHeaderParts',
        (value) => `${value} names and values of all requests with more than 100 headers and without a response`,
      ),
      'above them, those of the largest holder are rejected',
    ],
    ['test/abuse/frames.test.ts', 'test/ingress/exchange.test.ts'],
  ],
  [
    'PING, WINDOW_UPDATE and other useless frames',
    [
      withName('maxUselessBytes', (value) => `${value} beyond requests and bodies`),
      withName('uselessBytesPerSecond', (value) => `${value} per second are restored`),
    ],
    ['test/abuse/http2.test.ts'],
  ],
  [
    'Readers that stall, even if they send PING',
    [
      withName(
        'waitingResponseBytes',
        (value) =>
          `Each response that waits counts as ${value} besides its body, also over HTTP/2 to a client that permits no data`,
      ),
      `${withName('stallBytes', (value) => `closed if they accept less than ${value}`)} ${withName('stallTimeoutMs', (value) => `in ${value} while data waits`)}`,
    ],
    ['test/abuse/readers.test.ts', 'test/ingress/send-buffer-waiting.heavy.test.ts'],
  ],
  [
    'ClientHello in tiny TLS records',
    [
      `Complete records are joined before anything else reads them; ${formatBytes(maxHelloBytes)} of the message (\`maxHelloBytes\`)`,
    ],
    ['test/abuse/connections.test.ts'],
  ],
  [
    'Floods of connections and TLS handshakes',
    [
      `Before any TLS work: ${setting('connectionRate')}, ${setting('maxConnections')}, ${setting('maxConnectionsPerAddress')}`,
      'with the PROXY protocol, they apply to the address in its header',
      withName('maxAcceptsPerIteration', (value) => `${value} that wait are accepted in an event-loop iteration`),
      withName('maxImmediateStarts', (value) => `the first ${value} handshakes of an event-loop iteration start in it`),
      withName(
        'maxUnservedConnections',
        (value) =>
          `while the first requests of more than ${value} TLS connections wait, handshakes get a fifth of the time`,
      ),
      withName(
        'handshakeTimeoutMs',
        (value) => `a handshake that waits for ${value}, or whose client has left, does not begin`,
      ),
    ],
    [
      'test/abuse/connections.test.ts',
      'test/ingress/limits/accept-filter.test.ts',
      'test/ingress/tls-server.test.ts',
      'test/ingress/schedule/scheduler.test.ts',
    ],
  ],
  [
    'Many addresses of one IPv6 network',
    [
      withName(
        'networkBudget',
        (value) => `Each /48 has the budget of ${value} addresses for requests and connections`,
      ),
    ],
    ['test/abuse/connections.test.ts'],
  ],
  [
    'Addresses or networks that hold all connections: idle, in handshakes, with half a request',
    [
      withName(
        'crowdedShare',
        (value) =>
          `Above ${value} of ${setting('maxConnections')}, a new connection replaces one without a complete request`,
      ),
      withName(
        'clientsOfNetwork',
        (value) => `one of the client that holds the most, or of a network that holds as much as ${value} such clients`,
      ),
      withName(
        'unreadMs',
        (value) => `a connection whose client has not read the response for ${value} counts as one without a request`,
      ),
      withName(
        'networkShare',
        (value) => `one network (/24, IPv6: /48) has at most ${value} of them while others need places`,
      ),
    ],
    [
      'test/ingress/limits/port-limit.test.ts',
      'test/ingress/limits/pool.test.ts',
      'test/ingress/limits/accept-filter.test.ts',
      'test/abuse/networks.test.ts',
    ],
  ],
  [
    'Thousands of connections that are due to be closed in the same instant',
    ['They are closed one by one, in equal shares for all clients (`iterationMs`)'],
    ['test/ingress/connection-closing.test.ts'],
  ],
  [
    'Datagrams to the port of HTTP/3: garbage, forged senders, handshakes, streams',
    [
      'They reach only the process for HTTP/3',
      withName('maxUnvalidatedHandshakes', (value) => `at most ${value} open handshakes whose address may be forged`),
      withName('unvalidatedTimeoutMs', (value) => `each for ${value}`),
      'above that, the response to a new sender has 99 bytes (Retry), and nothing is stored about it',
      `for validated addresses, ${setting('connectionRate')}, ${setting('maxConnections')} and ${setting('maxConnectionsPerAddress')}`,
      withName('quicConnectionBufferBytes', (value) => `${value} unacknowledged per connection`),
    ],
    [
      'test/abuse/datagrams.test.ts',
      'test/abuse/quic.test.ts',
      'test/native/quic/address-validation.heavy.test.ts',
      'test/native/quic/endpoint.heavy.test.ts',
      'test/native/quic/endpoint-fuzz.heavy.test.ts',
    ],
  ],
  [
    'HTTP/3 requests without end, floods of them, and resets',
    [
      withName('maxConcurrentStreams', (value) => `${value} open request streams per connection`),
      withName('maxRequestsInFlight', (value) => `${value} of them without a response`),
      withName('maxAddressRequestsInFlight', (value) => `${value} over all connections of an address`),
      'the others wait in OpenSSL, which permits a client no more than 100 such streams',
      withName('headersTimeoutMs', (value) => `${value} for the headers`),
      withName('streamResetBurst', (value) => `more than ${value} resets close the connection`),
      withName(
        'maxConnectionRequests',
        (value) => `after ${value} requests, the client is told to use another connection (GOAWAY)`,
      ),
      withName('quicConnectionStreams', (value) => `after ${value} streams, no more are accepted`),
      withName('maxWaitingDatagrams', (value) => `${value} datagrams wait`),
      'clients take turns with their datagrams, and then with their connections, for at most 5 ms each in an event-loop iteration (`iterationMs`)',
      'the service reads requests in such turns, too, and a third as many as over HTTP/2 in an iteration (`maxStreamsPerIteration`)',
      `at ${setting('maxConnections')}, a new connection takes the place of one without a request of the largest holder`,
      withName('maxQuicConnectionBytes', (value) => `${value} for the streams, unsent and unread data of a connection`),
      withName('maxQuicBytes', (value) => `${value} for those of all connections`),
      'above that, or if a new connection exceeds `MAX_MEMORY`, a connection of the largest holder is closed',
    ],
    [
      'test/native/turns.test.ts',
      'test/native/quic/listeners.heavy.test.ts',
      'test/native/quic/streams.test.ts',
      'test/abuse/quic.test.ts',
      'test/ingress/http3/http3-floods.test.ts',
      'test/ingress/limits/pool.test.ts',
      'test/runtime/http3/bridge.test.ts',
      'test/runtime/http3/quic-memory.test.ts',
      'test/runtime/http3/child.test.ts',
      'test/ingress/http3/http3.test.ts',
    ],
  ],
  [
    'Garbage that is collected late',
    [
      withName('heapGrowthPercent', (value) => `V8 collects before its old generation has grown by ${value} percent`),
      withName('scarceHeapGrowthPercent', (value) => `where \`MAX_MEMORY\` leaves little room, by ${value} percent`),
      withName(
        'releaseMemoryMs',
        (value) =>
          `free memory is returned to the system when the process has rested for ${value}, and always near \`MAX_MEMORY\``,
      ),
      withName('releasePauseMs', (value) => `while it rests, at most once in ${value}`),
      withName('releaseGrowthBytes', (value) => `and only if it has grown by ${value}`),
    ],
    [
      'test/native/garbage.test.ts',
      'test/runtime/memory-limit.test.ts',
      'test/abuse/tools.test.ts',
      'test/abuse/frames.test.ts',
    ],
  ],
  [
    'Full memory',
    [`Above \`${variableOf('maxMemory')}\`, new connections are rejected`, 'one log line in 60 seconds'],
    ['test/abuse/connections.test.ts'],
  ],
  [
    'Documents without end: 47 bytes of request for 298 KB',
    [`${setting('rateLimitDocuments')} MB per minute and address, as sent; HEAD counts nothing`],
    ['test/edges/node/requests-documents.test.ts', 'test/edges/node/limits/limits.test.ts'],
  ],
  [
    'Tool calls and lookups without end',
    [
      `${setting('rateLimitTools')}, ${setting('rateLimitLookup')}`,
      `${setting('maxOutbound')} for the process`,
      'outbound requests and their TLS handshakes start and end in turns (`iterationMs`, `maxStreamsPerIteration`)',
    ],
    [
      'test/mcp/server.test.ts',
      'test/edges/node/outbound/outbound-limit.heavy.test.ts',
      'test/internet/together.test.ts',
    ],
  ],
  [
    'Servers that a lookup connects to, and that demand costly cryptography: hostile certificates, large fields, handshakes or session tickets without end',
    [
      'OpenSSL verifies signatures only by keys of authorities that it trusts, and stops at the first error',
      '64 KB of certificates (`maxCertificateBytes`)',
      'no key exchange in finite fields, and no renegotiation',
      '128 KB of TLS messages beyond data and as many bytes as it has (`maxOverheadBytes`)',
      'without `node:ffi`, the first two do not apply',
    ],
    ['test/abuse/certificates.test.ts', 'test/native/members.test.ts'],
  ],
  [
    'Malformed HTTP/1 and HTTP/2',
    ['Parsers and the limits above; the fuzzer prints a counterexample and its seed'],
    [
      'test/abuse/fuzz.test.ts',
      'test/abuse/held.test.ts',
      'test/abuse/requests.test.ts',
      'test/service/strictness.test.ts',
    ],
  ],
];

export const attackRows = attacks.map(([attack, sentences, tests]) => [
  attack,
  sentences.join('; '),
  tests.map((file) => `[${file.replace(/.*\//, '')}](${file})`).join(', '),
]);
