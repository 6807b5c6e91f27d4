/** The private parts of Node that the source relies on exist in this Node; after an upgrade, a failure says which one is missing. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer, IncomingMessage } from 'node:http';
import { connect as connectHttp2, createSecureServer } from 'node:http2';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { connect as connectTls, createSecureContext, type TLSSocket } from 'node:tls';
import { boundVerification } from '../../src/native/certificate-verification.ts';
import { createLocalhostCertificate } from '../../src/runtime/certificate.ts';
import { privatePartsOf, sourceFiles } from '../source-files.ts';

async function listen(server: Server): Promise<number> {
  await once(server.listen({ port: 0, host: '127.0.0.1' }), 'listening');
  return (server.address() as AddressInfo).port;
}

// A connection without a request stays open until the tests of this file begin, which may be after those of others.
const httpServer = createHttpServer({ headersTimeout: 0, requestTimeout: 0 });
const secureServer = createSecureServer({ ...(await createLocalhostCertificate()), allowHTTP1: true }, () => {});
const http1Client = connect(await listen(httpServer), '127.0.0.1');
const [socket] = (await once(httpServer, 'connection')) as [Socket];
const securePort = await listen(secureServer);
const http2Client = connectHttp2(`https://127.0.0.1:${securePort}`, { rejectUnauthorized: false });
const [tlsSocket] = (await once(secureServer, 'secureConnection')) as [TLSSocket];
const tlsClient = connectTls({ port: securePort, host: '127.0.0.1', rejectUnauthorized: false });
const udpSocket = createSocket('udp4');
await once(udpSocket.bind(0, '127.0.0.1'), 'listening');
after(() => {
  udpSocket.close();
  http1Client.destroy();
  http2Client.destroy();
  tlsClient.destroy();
  httpServer.close();
  secureServer.close();
});

interface Member {
  readonly name: string;
  readonly of: string;
  readonly exists: () => boolean;
  /** What happens without it. */
  readonly without: string;
  /** How code refers to it, if not by its name. */
  readonly usedAs?: string;
}

const memberOf = (owner: object | null, name: string): unknown => (owner as Record<string, unknown> | null)?.[name];
const handleBehind = (symbol: symbol) =>
  (memberOf((udpSocket as unknown as Record<symbol, object>)[symbol] ?? null, 'handle') ?? null) as object | null;
const handleOf = (owner: object) => memberOf(owner, '_handle') as object | null;

/** A server's own listener is the only one, so that another can take its place. */
const hasOneListener = (owner: Server | Socket, event: string) => owner.listeners(event).length === 1;

const noTcpValues = 'round-trip time, delivery rate and the TCP SYN are null, and reading is never stopped';
const slowReads = 'each read allocates a buffer';
const noStop = 'reading is never stopped';
const noProgress = 'slow readers are closed as if they had stalled';
const noStart = 'the process does not start';
const oneAccept = 'one connection is accepted in each iteration of the event loop';

const ofHandle = (name: string, without: string): Member[] => [
  {
    name,
    of: 'the _handle of a net.Socket',
    exists: () => memberOf(handleOf(socket), name) !== undefined,
    without,
  },
  {
    name,
    of: 'the _handle of a tls.TLSSocket',
    exists: () => memberOf(handleOf(tlsSocket), name) !== undefined,
    without,
  },
];

const members: readonly Member[] = [
  { name: '_handle', of: 'a net.Socket', exists: () => handleOf(socket) !== null, without: noTcpValues },
  {
    name: '_handle',
    of: 'a net.Server',
    exists: () => handleOf(httpServer) !== null,
    without: 'the TCP SYN is null, and the kernel chooses the size of receive buffers',
  },
  {
    name: 'onconnection',
    of: 'the _handle of a net.Server',
    exists: () => typeof memberOf(handleOf(httpServer), 'onconnection') === 'function',
    without: oneAccept,
  },
  {
    name: 'open',
    of: 'the handles that the constructor of the _handle of a net.Server makes',
    exists: () => typeof memberOf(handleOf(httpServer)?.constructor.prototype, 'open') === 'function',
    without: oneAccept,
  },
  {
    name: '_parent',
    of: 'a tls.TLSSocket of a server',
    exists: () => memberOf(tlsSocket, '_parent') instanceof Object,
    without: 'a TLS connection is closed after its handshake',
  },
  {
    name: '_parent',
    of: 'the _handle of a tls.TLSSocket that has opened its connection',
    exists: () => typeof memberOf(memberOf(handleOf(tlsClient), '_parent') as object, 'bytesRead') === 'number',
    without: 'a server may send TLS messages without end',
  },
  {
    name: 'verifyError',
    of: 'the _handle of a tls.TLSSocket that has opened its connection',
    exists: () => typeof memberOf(handleOf(tlsClient), 'verifyError') === 'function',
    without: 'most reasons not to trust a certificate are named UNSPECIFIED',
  },
  {
    name: '_external',
    of: 'the context of a SecureContext',
    exists: () => boundVerification(createSecureContext(), 65_536),
    without: 'a server may send certificates that take a second to verify',
  },
  {
    name: '_unrefTimer',
    of: 'a net.Socket',
    exists: () => typeof memberOf(socket, '_unrefTimer') === 'function',
    without: slowReads,
  },
  ...ofHandle('onread', slowReads),
  ...ofHandle('bytesRead', slowReads),
  ...ofHandle('useUserBuffer', slowReads),
  {
    name: '_consumed',
    of: 'the _handle of a socket of an http.Server',
    exists: () => memberOf(handleOf(socket), '_consumed') === true,
    without: 'no bound applies to requests over HTTP/1',
  },
  ...ofHandle('reading', noStop),
  ...ofHandle('readStart', noStop),
  ...ofHandle('readStop', noStop),
  ...ofHandle('bytesWritten', noProgress),
  ...ofHandle('writeQueueSize', noProgress),
  {
    name: 'fd',
    of: 'the _handle of a net.Socket',
    exists: () => Number(memberOf(handleOf(socket), 'fd')) >= 0,
    without: noTcpValues,
  },
  {
    name: "listeners('connection')",
    of: 'an http.Server',
    exists: () => hasOneListener(httpServer, 'connection'),
    without: noStart,
    usedAs: "takeListener(server, 'connection'",
  },
  {
    name: "listeners('connection')",
    of: 'an Http2SecureServer',
    exists: () => hasOneListener(secureServer, 'connection'),
    without: noStart,
    usedAs: "takeListener(server, 'connection'",
  },
  {
    name: "listeners('secureConnection')",
    of: 'an Http2SecureServer',
    exists: () => hasOneListener(secureServer, 'secureConnection'),
    without: noStart,
    usedAs: "takeListener(server, 'secureConnection'",
  },
  {
    name: "listeners('newListener')",
    of: 'an Http2SecureServer',
    exists: () => hasOneListener(createSecureServer(), 'newListener'),
    without: noStart,
    usedAs: "takeListener(server, 'newListener'",
  },
  {
    name: "listeners('data')",
    of: 'a socket of an http.Server',
    exists: () => hasOneListener(socket, 'data'),
    without: noStart,
    usedAs: "takeListener(socket, 'data'",
  },
  {
    name: 'headers as an accessor',
    of: 'the prototype of http.IncomingMessage',
    exists: () => Object.getOwnPropertyDescriptor(IncomingMessage.prototype, 'headers')?.get !== undefined,
    without: 'Node reads no header of a request',
    usedAs: "getOwnPropertyDescriptor(IncomingMessage.prototype, 'headers')",
  },
  {
    name: 'getOwnPropertySymbols',
    of: 'a dgram.Socket, with one whose value has a handle with a descriptor',
    exists: () =>
      Object.getOwnPropertySymbols(udpSocket).some((symbol) => Number(memberOf(handleBehind(symbol), 'fd')) >= 0),
    without: 'there is no HTTP/3',
  },
  {
    name: '--heap-growing-percent',
    of: "V8's command line",
    exists: () => String(spawnSync(process.execPath, ['--v8-options']).stdout).includes('--heap-growing-percent'),
    without: 'the heap grows further between two collections',
  },
];

/** Returns the files whose code refers to the member. */
function filesRelyingOn({ name, usedAs = name }: Member): string[] {
  const pattern = new RegExp(`(?<![\\w$])${usedAs.replaceAll(/\W/g, '\\$&')}(?![\\w$])`);
  const layers = ['src/native/', 'src/ingress/'];
  return sourceFiles
    .filter(({ file, code }) => layers.some((layer) => file.startsWith(layer)) && pattern.test(code))
    .map(({ file }) => file);
}

for (const member of members) {
  const { name, of, exists, without } = member;
  test(`${of} has ${name}`, () => {
    const files = filesRelyingOn(member);
    assert.notDeepEqual(files, [], `no file relies on ${name} any more; remove it from this test`);
    const problem = `Node ${process.versions.node} has no member ${name} on ${of}; ${files.join(' and ')} relies on it: without it, ${without}`;
    assert.ok(exists(), problem);
  });
}

test('every private part that src/native uses is in this list, unless Node documents it', () => {
  const documented = [
    "'node:ffi'",
    'dlopen',
    'pause',
    'removeAllListeners',
    'removeListener',
    'resume',
    'setFlagsFromString',
  ];
  const used = sourceFiles
    .filter(({ file }) => file.startsWith('src/native/'))
    .flatMap(({ code }) => privatePartsOf(code));
  const listed = members.map(({ name }) => name);
  assert.deepEqual(
    [...new Set(used)].filter((part) => !documented.includes(part) && !listed.some((name) => name.startsWith(part))),
    [],
  );
});
